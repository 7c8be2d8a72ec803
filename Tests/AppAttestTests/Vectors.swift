import AppAttest
import Certificates
import Foundation
import Testing

/// What others published, from Fixtures/vectors.json.
struct Vectors: Decodable {
    struct Attestation: Decodable, CustomTestStringConvertible {
        let name: String
        let appID: String
        let environment: String
        let at: Date
        let keyID: String
        let clientDataHash: Data
        let publicKey: Data
        let attestation: Data

        var testDescription: String { name }

        /// A policy that accepts it, from Apple's root.
        func policy(
            app: String? = nil, environments: Set<AppAttestEnvironment>? = nil,
            categories: Set<ValidationCategory> = [.system], roots: PinnedRoots? = nil
        ) throws -> AppAttestPolicy {
            AppAttestPolicy(
                apps: [try #require(AppID(app ?? appID))],
                environments: try environments ?? [#require(AppAttestEnvironment(rawValue: environment))],
                categories: categories, roots: try roots ?? #require(PinnedRoots(pem: AppleAppAttestRoot.pem)))
        }

        /// Verifies it with whatever is given instead of the right value.
        @discardableResult func verify(
            with policy: AppAttestPolicy? = nil, keyID: AppAttestKeyID? = nil, clientDataHash: [UInt8]? = nil,
            at now: Date? = nil
        ) throws -> AttestedKey {
            try (policy ?? self.policy()).verify(
                attestation: Array(attestation), keyID: keyID ?? #require(AppAttestKeyID(base64: self.keyID)),
                clientDataHash: clientDataHash ?? Array(self.clientDataHash), now: now ?? at)
        }
    }

    struct Assertion: Decodable, CustomTestStringConvertible {
        let name: String
        let appID: String
        let publicKey: Data
        let clientData: Data
        let counter: UInt32
        let assertion: Data

        var testDescription: String { name }
    }

    let attestations: [Attestation]
    let assertions: [Assertion]

    /// Read once; nothing at all if they can't be, which a test would notice.
    static let all: Vectors = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/vectors.json")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let data = try? Data(contentsOf: file), let vectors = try? decoder.decode(Vectors.self, from: data) else {
            return Vectors(attestations: [], assertions: [])
        }
        return vectors
    }()
}
