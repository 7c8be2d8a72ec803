package import Credentials
import HTTPContract

// Credentials are their text in JSON. A malformed one makes the message malformed, and the error never quotes the input.
//
// The conformances are here and not in `Credentials`, so that only wire messages can be encoded.

/// A credential that is one JSON string.
package protocol TextCredential: Codable {
    /// Nil unless the text has the credential's form.
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
