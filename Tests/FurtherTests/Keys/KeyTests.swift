import AppAttest
import Crypto
import DevelopmentAttestation
import Foundation
import FurtherAPI
import HTTPContract
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct KeyTests {
    private static let app = "A1B2C3D4E5.org.example.further"

    private static func keys(in stage: FurtherStage) async throws -> Int64? {
        try await stage.asSuperuser { try $0.row("SELECT count(*) FROM further.key", as: Int64.self) }
    }

    @Test func `a key is registered under the hash of its public half, as often as its app likes`() async throws {
        try await FurtherStage.run { stage async throws in
            let phone = SigningPhone()
            for _ in 0..<2 {
                let answer = try await stage.exchange("/keys", phone.registration().encodedBody())
                let hash = SHA256.hash(data: phone.key.publicKey.x963Representation)
                let name = hash.prefix(16).map { String(format: "%02x", $0) }.joined()
                #expect(answer == (200, #"{"keyId":"\#(name)"}"#))
            }
            #expect(try await Self.keys(in: stage) == 1)
        }
    }

    @Test func `a key without a proof of its own isn't registered`() async throws {
        try await FurtherStage.run { stage async throws in
            let (phone, other) = (SigningPhone(), SigningPhone())
            let (good, foreign) = (try phone.registration(), try other.registration())
            let publicKey = good.publicKey
            // As if for a call.
            let bare = try phone.key.signature(for: publicKey).derRepresentation
            for proof in [foreign.proof, bare, Data(), Data([0x30, 0])] {
                let request = KeyRegistration(publicKey: publicKey, proof: proof)
                #expect(try await stage.send("/keys", request.encodedBody()) == 401)
            }
            let compact = phone.key.publicKey.compressedRepresentation
            let noPoint = Data([4]) + Data(repeating: 1, count: 64)
            for key in [
                Data(), compact, publicKey.dropLast(), publicKey + [0], noPoint, phone.key.publicKey.rawRepresentation,
            ] {
                let request = KeyRegistration(publicKey: Data(key), proof: good.proof)
                #expect(try await stage.send("/keys", request.encodedBody()) == 400)
            }
            for body in ["", "{}", #"{"publicKey":"?","proof":"?"}"#, #"{"publicKey":7,"proof":"AA=="}"#] {
                #expect(try await stage.send("/keys", Data(body.utf8)) == 400)
            }
            #expect(try await Self.keys(in: stage) == 0)
        }
    }

    @Test func `where an attestation is demanded only Apple's word for this key and app lets it in`() async throws {
        let start = FurtherStage.start
        let (apple, stranger) = (try AppleAuthority(at: start), try AppleAuthority(at: start))
        try await FurtherStage.run(
            settings: ["signatures": "required", "appAttest.apps": Self.app], files: ["appAttest.roots": apple.rootPEM]
        ) { stage async throws in
            let phone = SigningPhone()
            let plain = try phone.registration()
            func attested(
                _ app: String = Self.app, by authority: AppleAuthority, over key: Data, named other: Data? = nil
            ) throws -> KeyRegistration {
                let device = AppAttestDevice(app: try #require(AppID(app)))
                let attestation = try device.attestation(
                    by: authority, clientDataHash: Array(SHA256.hash(data: key)), environment: .production,
                    at: start)
                return KeyRegistration(
                    publicKey: plain.publicKey, proof: plain.proof, attestation: Data(attestation),
                    attestedKeyId: other ?? Data(device.keyID.bytes))
            }
            let foreign = SigningPhone().key.publicKey.x963Representation
            let refused = [
                plain, try attested(by: stranger, over: plain.publicKey), try attested(by: apple, over: foreign),
                try attested("A1B2C3D4E5.org.example.other", by: apple, over: plain.publicKey),
                try attested(by: apple, over: plain.publicKey, named: Data(repeating: 7, count: 32)),
                try attested(by: apple, over: plain.publicKey, named: Data()),
            ]
            for request in refused { #expect(try await stage.send("/keys", request.encodedBody()) == 403) }
            #expect(try await Self.keys(in: stage) == 0)
            let good = try attested(by: apple, over: plain.publicKey)
            #expect(try await stage.send("/keys", good.encodedBody()) == 200)
            #expect(try await stage.report(.sample(UUID(), true, at: stage.now), by: phone) == 200)
        }
    }
}
