import ExposureKeys
import Postgres

/// A key as a `bytea`, from and to its place in memory: an array for each of a fold's keys would cost more than the rest
/// of its row.
extension KeyData: PostgresEncodable, PostgresDecodable {
    static var postgresType: PostgresType { .bytea }

    func encode(into buffer: inout [UInt8]) { append(to: &buffer) }

    static func accepts(_ type: PostgresType) -> Bool { type == .bytea }

    static func decode(_ bytes: RawSpan, as type: PostgresType) -> KeyData? {
        bytes.withUnsafeBytes { KeyData($0) }
    }
}
