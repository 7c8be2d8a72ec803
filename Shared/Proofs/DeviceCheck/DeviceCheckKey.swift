import CompactJOSE
import Crypto
package import FoundationEssentials

/// A team's key for Apple's DeviceCheck service.
package struct DeviceCheckKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let key: P256.Signing.PrivateKey
    private let keyID: String
    private let team: String

    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    /// - Parameters:
    ///   - pem: a private key on P-256, as Apple hands it out (`AuthKey_….p8`).
    ///   - keyID: the key's name at Apple, ten capital letters and digits.
    ///   - team: the team's, of the same form.
    package init(pem: String, keyID: String, team: String) throws(UnusableDeviceCheckKey) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem), Self.isName(keyID), Self.isName(team)
        else { throw UnusableDeviceCheckKey() }
        self.key = key
        self.keyID = keyID
        self.team = team
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    /// How far Apple's clock may be behind, in seconds. Apple doesn't say whether it accepts a token from the future.
    private static let skew: TimeInterval = 60

    /// The token of the header field `Authorization: Bearer …`: a JWT with ES256, made a minute ago. Apple accepts it for an hour.
    package func token(at now: Date) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try CompactJWS.text(
            header: encoder.encode(Header(kid: keyID)),
            payload: encoder.encode(Claims(iss: team, iat: Int64((now - Self.skew).timeIntervalSince1970)))
        ) { try key.signature(for: $0).rawRepresentation }
    }

    /// Reveals nothing.
    package var description: String { "key for DeviceCheck" }
    /// The same as ``description``: a debugger's output ends up in logs too.
    package var debugDescription: String { description }
    /// Keeps `dump` and string interpolation of containers away from the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text isn't a key for DeviceCheck, or its name or team isn't one. The error gives no reason: the text may be a
/// private key.
package struct UnusableDeviceCheckKey: Error, Equatable, CustomStringConvertible {
    /// Carries no detail, on purpose.
    package init() {}

    /// A plain sentence.
    package var description: String {
        "This is not a private key on P-256 in PEM with a key ID and a team ID of ten characters each."
    }
}
