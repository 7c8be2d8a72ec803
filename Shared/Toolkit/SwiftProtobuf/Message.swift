/// A message of a protobuf schema: a value with fields, and with those fields that its schema doesn't know.
///
/// Generated code conforms to it. Bytes and JSON are written by ``traverse(visitor:)``, and read by
/// ``decodeMessage(decoder:)``.
package protocol Message: _ProtoNameProviding, Hashable, Sendable {
    /// The name in the schema, with its package.
    static var protoMessageName: String { get }
    /// Fields that came over the wire and aren't in the schema, or don't have its types.
    var unknownFields: UnknownStorage { get set }

    /// A message without fields.
    init()
    /// Reads fields until the decoder has no more, and adds them to those that are set.
    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws
    /// Shows all fields that are set, in the order of their numbers, and then the unknown ones.
    func traverse<V: Visitor>(visitor: inout V) throws
}

/// What generated messages conform to; the same as ``Message`` here.
package protocol _MessageImplementationBase: Message {}

extension Message {
    /// A message with the fields that a closure sets.
    package static func with(_ populate: (inout Self) throws -> Void) rethrows -> Self {
        var message = Self()
        try populate(&message)
        return message
    }

    /// Equal messages have equal hashes.
    package func hash(into hasher: inout Hasher) {
        var visitor = HashVisitor(hasher: hasher)
        // The visitor throws nothing.
        try? traverse(visitor: &visitor)
        hasher = visitor.hasher
    }
}

/// An enumeration of a schema.
///
/// One of proto3 has a case for numbers that the schema doesn't know. For one of proto2, such a number makes no value, and the
/// field is an unknown one.
package protocol Enum: _ProtoNameProviding, RawRepresentable, Hashable, Sendable {
    /// The first value of the schema.
    init()
    /// Nil for a number that the enumeration can't hold.
    init?(rawValue: Int)
    /// The number in the schema.
    var rawValue: Int { get }
}

/// A type whose fields or values have names.
package protocol _ProtoNameProviding {
    /// The names by number.
    static var _protobuf_nameMap: _NameMap { get }
}

/// States in generated code for which version of this interface it was made.
package protocol ProtobufAPIVersionCheck {
    /// The version.
    associatedtype Version: ProtobufAPIVersion_2
}

/// The version of this interface.
package protocol ProtobufAPIVersion_2 {}
