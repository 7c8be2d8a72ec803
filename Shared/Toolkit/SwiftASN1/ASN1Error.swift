/// An encoding that isn't what it has to be. It names the rule and the type, never a value: the bytes may be a key's.
package struct ASN1Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    package enum Code: Hashable, Sendable {
        /// The bytes end before the element, or the element's header isn't in the one form that the rules allow.
        case malformedElement
        /// Elements stand more than ``DER/deepest`` deep in each other.
        case tooDeep
        /// Bytes or elements follow after the last one.
        case trailingData
        /// An element has another tag, or is constructed where it must be primitive.
        case unexpectedElement
        /// An element of a sequence is missing.
        case missingElement
        /// The tag is right, but the content isn't a value of the type.
        case invalidValue
        /// A text in PEM isn't as RFC 7468 has it.
        case invalidPEM
        /// A text holds more than one document, and only one is wanted.
        case multipleDocuments
    }

    /// The rule that was broken.
    package let code: Code
    /// What was read, in a few constant words.
    package let reason: StaticString

    /// An error of a rule and a type.
    package init(_ code: Code, _ reason: StaticString) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    package var description: String { "\(code): \(reason)" }

    /// Errors are the same if their codes are.
    package static func == (left: ASN1Error, right: ASN1Error) -> Bool { left.code == right.code }
    /// By the code.
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
