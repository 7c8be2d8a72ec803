/// A message of a protobuf schema: a value with fields, and with those fields that its schema doesn't know.
///
/// Generated code conforms to it. Bytes and JSON are read and written by way of ``fields``.
public protocol Message: FieldValue, Hashable, Sendable {
    /// What the schema says of the fields, and where in the value they are.
    static var fields: FieldTable { get }
    /// Fields that came over the wire and aren't in the schema, or don't have its types.
    var unknownFields: UnknownStorage { get set }

    /// Has an implementation that fits all messages.
    static func merge(
        into place: UnsafeMutableRawPointer, _ shape: FieldShape, _ body: (UnsafeMutableRawPointer) throws -> Void
    ) throws
    /// Has an implementation that fits all messages.
    static func show(
        _ place: UnsafeRawPointer, _ shape: FieldShape, _ body: (UnsafeRawPointer) throws -> Void) throws
}

extension Message {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .message(Self.self) }
    /// The name in the schema, with its package.
    public static var protoMessageName: String { fields.messageName }

    /// A message with the fields that a closure sets.
    public static func with(_ populate: (inout Self) throws -> Void) rethrows -> Self {
        var message = Self()
        try populate(&message)
        return message
    }
}

/// An enumeration of a schema.
///
/// One of proto3 has a case for numbers that the schema doesn't know. For one of proto2, such a number makes no value, and the
/// field is an unknown one.
public protocol Enum: ScalarValue, RawRepresentable, Hashable, Sendable {
    /// The values' names in the schema by their numbers.
    static var names: [Int: String] { get }
    /// Nil for a number that the enumeration can't hold.
    init?(rawValue: Int)
    /// The number in the schema.
    var rawValue: Int { get }

    /// Has an implementation that fits all enumerations.
    static func set(_ number: Int, _ shape: FieldShape, at place: UnsafeMutableRawPointer) -> Bool
    /// Has an implementation that fits all enumerations.
    static func number(_ shape: FieldShape, at place: UnsafeRawPointer) -> Int?
}

extension Enum {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .enumeration(Self.self) }
}
