public import FoundationEssentials

// What generated code is made of is `public` in this module, because the compiler inlines nothing else into other modules: a million
// keys would take twice as long.

/// How a field's value is written: a type of the schema language.
public enum FieldKind: Sendable {
    /// A type that has its own name in the schema language.
    case bool, int32, sint32, uint32, int64, uint64, fixed64, double, float, string, bytes
    /// An enumeration.
    case enumeration(any Enum.Type)
    /// A message.
    case message(any Message.Type)
}

/// The type of a field's value.
public protocol FieldValue: Hashable, Sendable {
    /// How its values are written, unless a schema says otherwise.
    static var kind: FieldKind { get }
    /// The value of a field that isn't set; of an enumeration, the first one.
    init()
}

/// In what form a message holds a field.
public enum FieldShape: Sendable {
    /// As a value, of which zero isn't written.
    case plain
    /// As ``Presence``.
    case presence
    /// As an array.
    case repeated
    /// As a dictionary with keys of type `int32`.
    case map
}

/// The type of a message's property that holds a field.
public protocol FieldStorage {
    /// Its value's type, or each value's.
    associatedtype FieldValueType: FieldValue
    /// Its form.
    static var shape: FieldShape { get }
}

/// A value that isn't a message: proto3 holds it as it is.
public protocol ScalarValue: FieldValue, FieldStorage where FieldValueType == Self {}

extension ScalarValue {
    /// See ``FieldStorage``.
    public static var shape: FieldShape { .plain }
}

/// A field that knows whether it is set; as long as it isn't, its value is that of ``FieldValue/init()``.
@propertyWrapper
public struct Presence<Value: FieldValue>: FieldStorage, Hashable, Sendable {
    /// Nil: not set.
    public var value: Value?

    /// Not set.
    @inlinable
    public init() {}

    /// The value; who writes it sets the field.
    @inlinable
    public var wrappedValue: Value {
        get { value ?? Value() }
        set { value = newValue }
    }

    /// See ``FieldStorage``.
    public typealias FieldValueType = Value
    /// See ``FieldStorage``.
    public static var shape: FieldShape { .presence }

    /// Neither is set, or both have the same value.
    @inlinable
    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}

extension Array: FieldStorage where Element: FieldValue {
    /// See ``FieldStorage``.
    public typealias FieldValueType = Element
    /// See ``FieldStorage``.
    public static var shape: FieldShape { .repeated }
}

extension Dictionary: FieldStorage where Key == Int32, Value: ScalarValue {
    /// See ``FieldStorage``.
    public typealias FieldValueType = Value
    /// See ``FieldStorage``.
    public static var shape: FieldShape { .map }
}

extension Bool: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .bool }
}
extension Int32: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .int32 }
}
extension UInt32: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .uint32 }
}
extension Int64: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .int64 }
}
extension UInt64: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .uint64 }
}
extension Double: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .double }
}
extension Float: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .float }
}
extension String: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .string }
}
extension Data: ScalarValue {
    /// See ``FieldValue``.
    public static var kind: FieldKind { .bytes }
}
