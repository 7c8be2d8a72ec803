package import Credentials
import HTTPContract

// How credentials are written in JSON: as their text. A malformed one is a malformed message, whose error never quotes
// the input. The conformances live here, not in `Credentials`, so that only what goes over a wire can be encoded.

/// A credential that is one JSON string.
package protocol TextCredential: Codable {
    /// Nil when the text doesn't have the credential's shape.
    init?(wire text: String)
    var wireText: String { get }
}

extension TextCredential {
    package init(from decoder: any Decoder) throws {
        guard let value = Self(wire: try decoder.singleValueContainer().decode(String.self)) else {
            throw MalformedMessage()
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wireText)
    }
}

extension RegistrationToken: TextCredential {
    package init?(wire text: String) { self.init(text) }
    package var wireText: String { text }
}

extension TAN: TextCredential {
    package init?(wire text: String) { self.init(text) }
    package var wireText: String { text }
}

extension TeleTAN: TextCredential {
    package init?(wire text: String) { self.init(text) }
    package var wireText: String { text }
}

extension HashedGUID: TextCredential {
    package init?(wire text: String) { self.init(text) }
    package var wireText: String { text }
}

extension Digest: TextCredential {
    package init?(wire text: String) { self.init(hex: text) }
    package var wireText: String { hex }
}
