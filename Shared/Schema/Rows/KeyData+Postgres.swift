package import ExposureKeys
package import Postgres

/// A key as a `bytea`, from and to its place in memory: an array for each of a fold's keys would cost more than the rest
/// of its row. The fold writes them, distribution reads them.
extension KeyData: PostgresEncodable, PostgresDecodable {
    /// `bytea`.
    package static var postgresType: PostgresType { .bytea }

    /// The 16 bytes.
    package func encode(into buffer: inout [UInt8]) { append(to: &buffer) }

    /// `bytea` only.
    package static func accepts(_ type: PostgresType) -> Bool { type == .bytea }

    /// Nil unless there are 16 bytes.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> KeyData? {
        bytes.withUnsafeBytes { KeyData($0) }
    }
}
