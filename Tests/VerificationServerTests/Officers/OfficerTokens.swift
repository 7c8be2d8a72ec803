import Crypto
import CryptoExtras
import Foundation
import Running
import TestSupport

/// Creates officers' tokens by hand, valid and invalid ones.
struct OfficerTokens: Sendable {
    static let issuer = "https://identity.test/realms/health"
    static let audience = "verification-server"

    /// The claims of a token; nil omits one. Values are JSON.
    struct Claims: Sendable {
        var iss: String? = "\"\(OfficerTokens.issuer)\""
        var aud: String? = "\"\(OfficerTokens.audience)\""
        /// Seconds from the clock's time.
        var exp: Double? = 300
        var nbf: Double? = 0
        var roles: String? = #"["c19hotline"]"#
        var username = "officer"
        var sub: String? = #""1f2e3d4c-officer""#

        fileprivate func json(at now: Date) -> String {
            let time = now.timeIntervalSince1970
            let members = [
                iss.map { #""iss":\#($0)"# }, aud.map { #""aud":\#($0)"# }, exp.map { #""exp":\#(Int(time + $0))"# },
                nbf.map { #""nbf":\#(Int(time + $0))"# }, roles.map { #""realm_access":{"roles":\#($0)}"# },
                #""preferred_username":"\#(username)""#, sub.map { #""sub":\#($0)"# },
            ]
            return "{\(members.compactMap(\.self).joined(separator: ","))}"
        }
    }

    /// How a token is signed.
    enum Signature: Sendable {
        case right
        /// By a key that the server doesn't know.
        case foreign
        /// By the second key of the set.
        case second
        /// RS256 by the RSA key of the set.
        case rsa
        /// PS256 by the RSA key of the set.
        case rsaPSS
        case none
        /// HS256 with something of the public key as the secret.
        case publicKey(PublicPart)
    }

    enum PublicPart: Sendable, CaseIterable {
        case pem, der, point, x, rsaPEM, modulus
    }

    private let key = P256.Signing.PrivateKey()
    private let second = P256.Signing.PrivateKey()
    private let foreign = P256.Signing.PrivateKey()
    private let clock: ManualClock
    private let prefix: String

    /// One for all tests: generating such a key takes long.
    private static let rsa: (key: _RSA.Signing.PrivateKey, modulus: Data, exponent: Data) = {
        do {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let numbers = try key.publicKey.getKeyPrimitives()
            return (key, numbers.modulus, numbers.publicExponent)
        } catch {
            preconditionFailure("no RSA key could be made: \(error)")
        }
    }()

    /// - Parameter prefix: of the identifiers of its keys: `sig-1`, `sig-2` (ES256) and `sig-rsa` (RS256).
    init(clock: ManualClock, prefix: String = "sig") {
        self.clock = clock
        self.prefix = prefix
    }

    /// A realm's keys as Keycloak publishes them: each with its certificate, one for encryption, and some unusable ones.
    var keySet: String {
        let modulus = Self.base64URL(Self.rsa.modulus)
        let members =
            #""n":"\#(modulus)","e":"\#(Self.base64URL(Self.rsa.exponent))","x5c":["MIIC"],"x5t":"aGFzaA""#
        let point = Self.json(of: key.publicKey, "\(prefix)-none").replacing(#""alg":"ES256","#, with: "")
        return """
            {"keys":[
            {"kty":"RSA","kid":"enc-1","use":"enc","alg":"RSA-OAEP",\(members),"x5t#S256":"aGFzaA"},
            {"kty":"RSA","kid":"enc-2","use":"enc","alg":"RS256",\(members)},
            {"kty":"OKP","crv":"Ed25519","kid":"\(prefix)-ed","use":"sig","alg":"EdDSA","x":"AAAA"},
            {"kty":"AKP","kid":"\(prefix)-pq","use":"sig","alg":"ML-DSA-65","pub":"AAAA"},
            {"kty":"RSA","kid":7,"use":"sig","alg":"RS256"}, "key", \(point),
            {"kid":"\(prefix)-rsa","kty":"RSA","alg":"RS256","use":"sig",\(members),"x5t#S256":"aGFzaA"},
            \(Self.json(of: key.publicKey, "\(prefix)-1")),
            \(Self.json(of: second.publicKey, "\(prefix)-2"))
            ]}
            """
    }

    private static func json(of key: P256.Signing.PublicKey, _ name: String) -> String {
        let point = key.rawRepresentation
        return """
            {"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"\(name)","x":"\(base64URL(point.prefix(32)))",\
            "y":"\(base64URL(point.suffix(32)))"}
            """
    }

    /// A token for an officer.
    func token(
        _ claims: Claims = Claims(), header: String? = nil, signature: Signature = .right
    ) throws -> String {
        let header = header ?? #"{"alg":"ES256","typ":"JWT","kid":"\#(prefix)-1"}"#
        return try token(json: claims.json(at: clock.now), header: header, signature: signature)
    }

    func token(json: String, header: String, signature: Signature) throws -> String {
        let signed = "\(Self.base64URL(Data(header.utf8))).\(Self.base64URL(Data(json.utf8)))"
        let input = Data(signed.utf8)
        let proof =
            switch signature {
            case .right: try key.signature(for: input).rawRepresentation
            case .foreign: try foreign.signature(for: input).rawRepresentation
            case .second: try second.signature(for: input).rawRepresentation
            case .rsa:
                try Self.rsa.key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation
            case .rsaPSS: try Self.rsa.key.signature(for: SHA256.hash(data: input), padding: .PSS).rawRepresentation
            case .none: Data()
            case .publicKey(let part):
                Data(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: publicPart(part))))
            }
        return "\(signed).\(Self.base64URL(proof))"
    }

    private func publicPart(_ part: PublicPart) -> Data {
        switch part {
        case .pem: Data(key.publicKey.pemRepresentation.utf8)
        case .der: key.publicKey.derRepresentation
        case .point: key.publicKey.x963Representation
        case .x: Data(Self.base64URL(key.publicKey.rawRepresentation.prefix(32)).utf8)
        case .rsaPEM: Data(Self.rsa.key.publicKey.pemRepresentation.utf8)
        case .modulus: Self.rsa.modulus
        }
    }

    private static func base64URL(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
