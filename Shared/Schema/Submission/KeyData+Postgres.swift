package import ExposureKeys
package import Postgres

/// A key as a `bytea`, out of its place in memory: an array for each of a fold's keys would cost more than the rest of its row.
extension KeyData: PostgresEncodable {
    /// `bytea`.
    package static var postgresType: PostgresType { .bytea }

    /// The 16 bytes.
    package func encode(into buffer: inout [UInt8]) { append(to: &buffer) }
}
