import AppAttest
import Certificates
import Crypto
import DevelopmentAttestation
import Foundation
import SwiftASN1
import Testing

/// Evidence from Apple's devices, under Apple's root.
@Suite struct AppleVectorTests {
    @Test func `the pinned root is Apple's`() throws {
        let document = try PEMDocument(pemString: AppleAppAttestRoot.pem)
        #expect(document.derBytes.count == 549)
        #expect(Array(SHA256.hash(data: document.derBytes)) == AppleAppAttestRoot.digest)
        let hex = AppleAppAttestRoot.digest.map { String(format: "%02x", Int($0)) }.joined()
        #expect(hex == "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932")
        #expect(PinnedRoots(pem: AppleAppAttestRoot.pem)?.digests == [AppleAppAttestRoot.digest])
    }

    @Test func `all vectors were read`() {
        #expect(Vectors.all.attestations.count == 6)
        #expect(Vectors.all.assertions.count == 4)
    }

    @Test(arguments: Vectors.all.attestations)
    func `a real attestation is accepted at its time`(_ vector: Vectors.Attestation) throws {
        let key = try vector.verify()
        #expect(key.id == AppAttestKeyID(base64: vector.keyID))
        #expect(key.publicKey.x963 == Array(vector.publicKey))
        #expect(key.environment.rawValue == vector.environment)
    }

    @Test(arguments: Vectors.all.attestations)
    func `a real attestation is refused for another app, key, challenge or environment`(
        _ vector: Vectors.Attestation
    ) throws {
        #expect(throws: AppAttestFlaw.app) { try vector.verify(with: vector.policy(app: "ABCDE12345.org.example.app")) }
        // SHA-256 of nothing.
        let other = try #require(AppAttestKeyID(base64: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="))
        #expect(throws: AppAttestFlaw.key) { try vector.verify(keyID: other) }
        #expect(throws: AppAttestFlaw.binding) { try vector.verify(clientDataHash: Array(vector.clientDataHash) + [0]) }
        let others = Set(AppAttestEnvironment.allCases).filter { $0.rawValue != vector.environment }
        #expect(throws: AppAttestFlaw.environment) { try vector.verify(with: vector.policy(environments: others)) }
    }

    @Test(arguments: Vectors.all.attestations)
    func `a real attestation is refused under another root, and too early or too late`(
        _ vector: Vectors.Attestation
    ) throws {
        let roots = try #require(PinnedRoots(pem: AppleAuthority(at: vector.at).rootPEM))
        #expect(throws: AppAttestFlaw.chain) { try vector.verify(with: vector.policy(roots: roots)) }
        // A leaf is valid for three days, or for about ten months.
        #expect(throws: AppAttestFlaw.chain) { try vector.verify(at: vector.at.addingTimeInterval(-4 * 86_400)) }
        #expect(throws: AppAttestFlaw.chain) { try vector.verify(at: vector.at.addingTimeInterval(365 * 86_400)) }
    }

    @Test func `what iOS 27 says of an app is read from Apple's sample, whose flags don't mention it`() throws {
        let sample = try #require(Vectors.all.attestations.last)
        guard case .map(let pairs) = try #require(CBORItem(sample.attestation)), let last = pairs.last,
            case .bytes(let bytes) = last.value
        else {
            Issue.record("The sample isn't a map that ends with bytes")
            return
        }
        #expect(bytes[32] == 0x40)
        let data = try #require(AuthenticatorData(bytes, ofAttestation: true))
        #expect(data.extensions.bundleVersion == "1")
        #expect(data.extensions.category == .system)
        #expect(throws: AppAttestFlaw.category) {
            try sample.verify(with: sample.policy(categories: [.appStore, .testFlight]))
        }
        // An older system says nothing, which no policy refuses.
        let older = try #require(Vectors.all.attestations.first)
        try older.verify(with: older.policy(categories: []))
    }

    @Test func `Apple's sample isn't accepted for the hash of its challenge`() throws {
        let sample = try #require(Vectors.all.attestations.last)
        #expect(String(decoding: sample.clientDataHash, as: UTF8.self) == "example_server_challenge")
        #expect(throws: AppAttestFlaw.binding) {
            try sample.verify(clientDataHash: Array(SHA256.hash(data: sample.clientDataHash)))
        }
    }

    @Test(arguments: Vectors.all.attestations)
    func `a real attestation is written as it was read`(_ vector: Vectors.Attestation) throws {
        #expect(try #require(CBORItem(vector.attestation)).encoded == Array(vector.attestation))
    }

    @Test(arguments: Vectors.all.assertions)
    func `a real assertion is accepted, and refused for anything else`(_ vector: Vectors.Assertion) throws {
        let key = try #require(AppAttestPublicKey(x963: vector.publicKey))
        let roots = try #require(PinnedRoots(pem: AppleAppAttestRoot.pem))
        func verify(
            app: String? = nil, by other: AppAttestPublicKey? = nil, clientData: Data? = nil, after counter: UInt32 = 0
        ) throws -> UInt32 {
            try AppAttestPolicy(
                apps: [#require(AppID(app ?? vector.appID))], environments: [], categories: [], roots: roots
            ).verify(
                assertion: Array(vector.assertion), by: other ?? key, clientData: clientData ?? vector.clientData,
                lastCounter: counter)
        }
        #expect(try verify() == vector.counter)
        #expect(throws: AppAttestFlaw.app) { try verify(app: "ABCDE12345.org.example.app") }
        #expect(throws: AppAttestFlaw.forged) {
            try verify(by: AppAttestPublicKey(P256.Signing.PrivateKey().publicKey))
        }
        #expect(throws: AppAttestFlaw.forged) { try verify(clientData: vector.clientData + [0]) }
        #expect(throws: AppAttestFlaw.counter) { try verify(after: vector.counter) }
    }
}
