/// A value that can be read from a result column in PostgreSQL's binary format.
package protocol PostgresDecodable {
    /// Whether a column of this type can be read as this value. Nothing is ever guessed from the bytes.
    static func accepts(_ type: PostgresType) -> Bool
    /// The value, or nil if the bytes are not one. `type` is one that `accepts(_:)` has accepted.
    static func decode(_ bytes: RawSpan, as type: PostgresType) -> Self?
    /// What NULL becomes; nil if a NULL is not expected.
    static var decodedNull: Self? { get }
}

extension PostgresDecodable {
    /// Most values can't be NULL: ask for an Optional where they can.
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
