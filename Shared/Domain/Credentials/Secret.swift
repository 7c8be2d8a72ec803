/// A secret value.
///
/// It prints as "redacted", can't be encoded or compared by accident, and is read only through ``exposed(_:)``, which is easy
/// to search for.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    /// Wraps a value. The caller should keep no printable copy.
    package init(_ value: Value) {
        self.value = value
    }

    /// Passes the value to a closure.
    package func exposed<Result>(_ body: (Value) throws -> Result) rethrows -> Result { try body(value) }

    package var description: String { "redacted" }
    package var debugDescription: String { "redacted" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
