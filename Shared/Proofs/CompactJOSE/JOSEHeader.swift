import FoundationEssentials
import StrictJSON

/// The header of a token: what its verifier compares with the only values that it accepts.
package struct JOSEHeader: Hashable, Sendable {
    /// `alg`.
    package let algorithm: String
    /// `enc`; only encrypted tokens have it.
    package let encryption: String?
    /// `kid`: the name of the signer's key; nil if it is absent or no text.
    package let keyID: String?
    /// `x5c`: the signer's certificate and what leads from it to a root, each in Base64 (RFC 7515, section 4.1.6).
    package let certificates: [String]

    private struct Members: Decodable {
        let algorithm: String
        let encryption: String?
        let keyID: String?
        let certificates: [String]?

        private enum CodingKeys: String, CodingKey {
            case algorithm = "alg"
            case encryption = "enc"
            case keyID = "kid"
            case certificates = "x5c"
            // Whoever sends these expects a reader that does something about them (RFC 7515, section 4.1.11; RFC 7516,
            // section 4.1.3).
            case criticalNames = "crit"
            case compression = "zip"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            for name in [CodingKeys.criticalNames, .compression] where members.contains(name) {
                throw DecodingError.dataCorruptedError(forKey: name, in: members, debugDescription: "not supported")
            }
            algorithm = try members.decode(String.self, forKey: .algorithm)
            encryption = try members.decodeIfPresent(String.self, forKey: .encryption)
            // Whoever needs it refuses a header without it; for others it must not matter.
            keyID = try? members.decode(String.self, forKey: .keyID)
            certificates = try members.decodeIfPresent([String].self, forKey: .certificates)
        }
    }

    /// Nil if it isn't an object with an algorithm, has a name twice, or has `crit` or `zip`. Other members don't count.
    init?(json: [UInt8]) {
        guard let members = try? StrictJSON.decode(Members.self, from: Data(json)) else { return nil }
        algorithm = members.algorithm
        encryption = members.encryption
        keyID = members.keyID
        certificates = members.certificates ?? []
    }
}
