package import Credentials
import HTTPContract

/// How a message names a test: one JSON string, from which the name of its result is derived.
package protocol TestName: Codable, Hashable, Sendable {
    /// Nil unless the text has the name's form.
    init?(wire text: String)
    /// The name as it is sent.
    var text: String { get }
    /// The name under which the result is stored.
    var resultID: ResultID { get }
    /// The codes of tests that are named this way.
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

/// Laboratories and the verification server send the hash, which is the result's name.
extension ResultID: TestName {
    package init?(wire text: String) { self.init(text) }
    /// The id itself.
    package var resultID: ResultID { self }
    /// The codes of a laboratory's PCR tests.
    package static var codes: ClosedRange<Int> { 1...3 }
}

/// Test centres send the id, which the server hashes.
extension CentreTestID: TestName {
    package init?(wire text: String) { self.init(text) }
    /// The codes of rapid antigen tests and of point-of-care PCR tests; a route accepts only one of the two kinds.
    package static var codes: ClosedRange<Int> { 5...14 }
}
