/// Why a text isn't a message in protobuf JSON.
package enum JSONDecodingError: Error, Equatable {
    /// The text ends within a value.
    case truncated
    /// Something stands where JSON, or a field's type, needs something else.
    case malformed
    /// A value isn't a number, or has a fraction where an integer belongs.
    case malformedNumber
    /// A number is too large for its field, or negative where that can't be.
    case numberRange
    /// A number starts with a zero that it doesn't need.
    case leadingZero
    /// A value is neither true nor false.
    case malformedBool
    /// A value isn't a string, has an escape that isn't one, or isn't Base64 where that belongs.
    case malformedString
    /// A string isn't UTF-8.
    case invalidUTF8
    /// A map isn't an object.
    case malformedMap
    /// A map's key has no quotation marks.
    case unquotedMapKey
    /// A null stands in an array or a map.
    case illegalNull
    /// The enumeration has no value with this name or number.
    case unrecognizedEnumValue
    /// The message has no field with this name.
    case unknownField
    /// Messages contain each other too often.
    case messageDepthLimit
}
