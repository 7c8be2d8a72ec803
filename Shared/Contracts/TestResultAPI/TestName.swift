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
}

/// Test centres send the id, which the server hashes.
extension CentreTestID: TestName {
    package init?(wire text: String) { self.init(text) }
}
