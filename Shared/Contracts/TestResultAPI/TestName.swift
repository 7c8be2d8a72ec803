package import Credentials
import HTTPContract

/// How somebody names a test in a message: one JSON string, from which follows the name of its result.
package protocol TestName: Codable, Hashable, Sendable {
    /// Nil when the text doesn't have the name's shape.
    init?(wire text: String)
    /// The name as it is sent.
    var text: String { get }
    /// The name under which the result is stored.
    var resultID: ResultID { get }
    /// The codes of the tests that are named so.
    static var codes: ClosedRange<Int> { get }
}

extension TestName {
    package init(from decoder: any Decoder) throws {
        guard let name = Self(wire: try decoder.singleValueContainer().decode(String.self)) else {
            throw MalformedMessage()
        }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Laboratories and the verification server send the hash, which is the name.
extension ResultID: TestName {
    package init?(wire text: String) { self.init(text) }
    /// Itself.
    package var resultID: ResultID { self }
    /// Those of a laboratory's PCR tests.
    package static var codes: ClosedRange<Int> { 1...3 }
}

/// Test centres send the id, which the server hashes.
extension CentreTestID: TestName {
    package init?(wire text: String) { self.init(text) }
    /// Those of rapid antigen tests and of point-of-care PCR tests; a route takes the one or the other.
    package static var codes: ClosedRange<Int> { 5...14 }
}
