package import ExposureKeys
package import Postgres

/// Encodes a key as a `bytea` directly from its storage: an array for each key of a fold would cost more than the rest of its
/// row.
extension KeyData: PostgresEncodable {
    /// `bytea`.
    package static var postgresType: PostgresType { .bytea }

    /// The 16 bytes.
    package func encode(into buffer: inout [UInt8]) { append(to: &buffer) }
}
