import FoundationEssentials
import HTTPContract
import HTTPTypes
import Hummingbird
import JWTKit
import NIOCore
import OfficerIdentity
import Pages

/// What browsers and identity providers send to the health portal.
extension DecoderTarget {
    /// The body of a form, or the query with which a browser returns from the provider.
    static func form(_ bytes: Data) -> Verdict {
        guard let values = try? URLEncodedValues(decoding: String(decoding: bytes, as: UTF8.self)) else {
            return .refused
        }
        let again = try? URLEncodedValues(decoding: values.encoded)
        return again == values ? .value : .broken("read again, it is another form")
    }

    /// The session in fields `Cookie`, one a line.
    static func cookie(_ bytes: Data) -> Verdict {
        var head = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/")
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        // The listener lets no other text through.
        head.headerFields[values: .cookie] = lines.map { String($0) }.filter(HTTPField.isValidValue)
        do throws(MalformedMessage) {
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            guard let value = try request.cookie("session") else { return .refused }
            let sent = try HostCookie("session", value)
            return sent.value == value ? .value : .broken("it can't be sent as it was read")
        } catch {
            return .refused
        }
    }

    /// An access token, an ID token or a log-out token.
    static func signedToken(_ bytes: Data) -> Verdict {
        guard let token = SignedToken<AnyClaims>(String(decoding: bytes, as: UTF8.self)),
            let claim = RolesClaim(path: "realm_access.roles")
        else { return .refused }
        guard !token.keyID.isEmpty else { return .broken("its key has no name") }
        let roles = claim.roles(in: token.claims.tree)
        return roles.count <= OfficerRole.allCases.count ? .value : .broken("it has more roles than there are")
    }

    /// Claims of every kind that the portal reads.
    private struct AnyClaims: JWTPayload {
        let audience: Audience?
        let expiry: Date?
        let tree: ClaimTree

        private enum CodingKeys: String, CodingKey {
            case audience = "aud"
            case expiry = "exp"
        }

        init(from decoder: any Decoder) throws {
            let claims = try decoder.container(keyedBy: CodingKeys.self)
            audience = try claims.decodeIfPresent(Audience.self, forKey: .audience)
            expiry = try claims.decodeIfPresent(Date.self, forKey: .expiry)
            tree = try ClaimTree(from: decoder)
        }

        func encode(to encoder: any Encoder) throws {
            var claims = encoder.container(keyedBy: CodingKeys.self)
            try claims.encodeIfPresent(audience, forKey: .audience)
        }

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
