/// A value that can be a statement's parameter, in PostgreSQL's binary format.
package protocol PostgresEncodable {
    /// The parameter's type, which the server doesn't infer.
    static var postgresType: PostgresType { get }
    /// Whether the value is NULL. Then `encode(into:)` isn't called.
    var isNull: Bool { get }
    /// Appends the value's binary form.
    func encode(into buffer: inout [UInt8])
}

extension PostgresEncodable {
    /// Not NULL, unless the type says otherwise.
    package var isNull: Bool { false }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The wrapped value's type.
    package static var postgresType: PostgresType { Wrapped.postgresType }

    /// Whether there is no value.
    package var isNull: Bool { self?.isNull ?? true }

    /// Appends the wrapped value.
    package func encode(into buffer: inout [UInt8]) {
        self?.encode(into: &buffer)
    }
}
