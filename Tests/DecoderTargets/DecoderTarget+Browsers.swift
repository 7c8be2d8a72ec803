import CompactJOSE
import FoundationEssentials
import HTTPContract
import OfficerIdentity

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

    /// An access token, an ID token or a log-out token.
    static func signedToken(_ bytes: Data) -> Verdict {
        guard let token = SignedToken<AnyClaims>(String(decoding: bytes, as: UTF8.self)),
            let claim = RolesClaim(path: "realm_access.roles")
        else { return .refused }
        guard !token.keyID.isEmpty else { return .broken("its key has no name") }
        let roles = claim.roles(in: token.claims.tree)
        return roles.count <= OfficerRole.allCases.count ? .value : .broken("it has more roles than there are")
    }

    /// The keys of an identity provider. None of them signed this token, whose key has the name `1` as the corpus has it.
    static func keySet(_ bytes: Data) -> Verdict {
        guard let keys = ProviderKeySet(json: bytes) else { return .refused }
        guard (1...100).contains(keys.count) else { return .broken("it has another number of keys") }
        guard ProviderKeySet(json: bytes)?.count == keys.count else { return .broken("read again, it is another set") }
        for algorithm in ["RS256", "PS256", "ES256"] {
            let header = #"{"alg":"\#(algorithm)","kid":"1"}"#
            let signature = [UInt8](repeating: 1, count: 64)
            let text = CompactJWS.text(header: header.utf8, payload: "{}".utf8) { _ in signature }
            guard let token = SignedToken<AnyClaims>(text) else { return .broken("the token is none") }
            guard !keys.verify(token) else { return .broken("it verifies what nobody signed") }
        }
        return .value
    }

    /// Claims of every kind that the portal reads.
    private struct AnyClaims: Decodable, Sendable {
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
    }
}
