import AppAttest
import Certificates
import FoundationEssentials

/// What iPhones send as evidence of App Attest. The corpus begins with evidence that others published: see
/// Tests/AppAttestTests/Fixtures/README.md.
extension DecoderTarget {
    static func appAttestCBOR(_ bytes: Data) -> Verdict {
        guard let item = CBORItem(bytes) else { return .refused }
        guard item.encoded == Array(bytes) else { return .broken("it is written otherwise") }
        guard let (_, count) = CBORItem.first(in: bytes + [0]), count == bytes.count else {
            return .broken("with a byte after it, it is another item")
        }
        return .value
    }

    /// At the time of Apple's sample, whose receipt the corpus leaves out. A search finds no other that Apple signed.
    static func appAttestAttestation(_ bytes: Data) -> Verdict {
        guard let roots = PinnedRoots(pem: AppleAppAttestRoot.pem), let app = AppID("1234567890.com.example.myapp"),
            let keyID = AppAttestKeyID(base64: "zgSY9YSD+7TaDXssY6WlOPVS1K3Lmk+pFhlcSWE+ZV0=")
        else { return .broken("Apple's sample has no policy") }
        let policy = AppAttestPolicy(apps: [app], environments: [.production], categories: [.system], roots: roots)
        let key = try? policy.verify(
            attestation: Array(bytes), keyID: keyID, clientDataHash: Array("example_server_challenge".utf8),
            now: Date(timeIntervalSince1970: 1_776_772_800))
        guard let key else { return .refused }
        guard key.id == keyID, key.environment == .production, AppAttestKeyID(key.publicKey) == keyID else {
            return .broken("its key is another")
        }
        return CBORItem(bytes)?.encoded == Array(bytes) ? .value : .broken("it is written otherwise")
    }

    /// An assertion of the iPhone with iOS 14.4.
    static func appAttestAssertion(_ bytes: Data) -> Verdict {
        let point = "BIjANKGQqn28WgYVAcZUKAOUJYIZiz8cxUZzyjua0gtBUoJnpU9f26BGn6+0a7aZCjlr8E+UpJ1DIMgcerJAo5g="
        guard let roots = PinnedRoots(pem: AppleAppAttestRoot.pem),
            let app = AppID("6MURL8TA57.de.vincent-haupert.apple-appattest-poc"),
            let key = Data(base64Encoded: point).flatMap({ AppAttestPublicKey(x963: $0) })
        else { return .broken("the iPhone has no policy") }
        let policy = AppAttestPolicy(apps: [app], environments: [], categories: [], roots: roots)
        let clientData = Data("wurzelpfropf".utf8)
        let counter = try? policy.verify(
            assertion: Array(bytes), by: key, clientData: clientData, lastCounter: 0)
        guard let counter else { return .refused }
        let again = try? policy.verify(
            assertion: Array(bytes), by: key, clientData: clientData, lastCounter: counter)
        guard again == nil else { return .broken("it is accepted twice") }
        return counter == 1 ? .value : .broken("it has another counter")
    }
}
