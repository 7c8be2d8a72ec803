/// A value that can be read from a result column in PostgreSQL's binary format.
package protocol PostgresDecodable {
    /// Whether a column of this type can be read as this value. The bytes don't decide it.
    static func accepts(_ type: PostgresType) -> Bool
    /// The value, or nil if the bytes are malformed. `accepts(_:)` has accepted `type`.
    static func decode(_ bytes: RawSpan, as type: PostgresType) -> Self?
    /// The value for NULL; nil if NULL isn't expected.
    static var decodedNull: Self? { get }
}

extension PostgresDecodable {
    /// NULL isn't expected: ask for an Optional where it is.
    package static var decodedNull: Self? { nil }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// The wrapped value's types.
    package static func accepts(_ type: PostgresType) -> Bool { Wrapped.accepts(type) }

    /// The wrapped value.
    package static func decode(_ bytes: RawSpan, as type: PostgresType) -> Wrapped?? {
        guard let value = Wrapped.decode(bytes, as: type) else { return nil }
        return .some(value)
    }

    /// No value.
    package static var decodedNull: Wrapped?? { .some(nil) }
}
