import AppAttest
import Certificates
import Crypto
import DevelopmentAttestation
import Foundation
import TestSupport
import Testing

/// Evidence between this module and a program without any of its code: `evidence.py`, which uses cbor2, cryptography
/// and pyattest. pyattest has no clock but the machine's, so these tests are of now.
@Suite(
    .heavy, .timeLimit(.minutes(5)), .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"))
struct IndependentEvidenceTests {
    /// What `evidence.py mint` prints.
    private struct Minted: Decodable {
        struct Evidence: Decodable {
            let name: String
            /// Nil if it is good.
            let flaw: String?
            let bytes: Data
            let lastCounter: UInt32?
        }

        let root: String
        let app: String
        let at: Date
        let keyID: String
        let publicKey: Data
        let clientDataHash: Data
        let clientData: Data
        let attestations: [Evidence]
        let assertions: [Evidence]
    }

    /// What `evidence.py verify` reads.
    private struct Given: Encodable {
        var root: String
        var app: String
        var environment: AppAttestEnvironment.RawValue
        var at: Date
        var keyID: Data
        var challenge: Data
        var attestation: Data
        var clientData: Data
        var counter: UInt32
        var assertion: Data
    }

    private static func run(_ command: String, _ input: Data = Data()) throws -> Data {
        let process = try TestPython.process("../AppAttestTests/Independent/evidence.py", [command])
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        try process.start()
        try standardInput.fileHandleForWriting.write(contentsOf: input)
        try standardInput.fileHandleForWriting.close()
        let words = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return words
    }

    @Test func `another program's evidence is accepted or refused for its reason`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let minted = try decoder.decode(Minted.self, from: Self.run("mint"))
        #expect(minted.attestations.count == 20)
        #expect(minted.assertions.count == 10)
        let keyID = try #require(AppAttestKeyID(base64: minted.keyID))
        let key = try #require(AppAttestPublicKey(x963: minted.publicKey))
        let policy = AppAttestPolicy(
            apps: [try #require(AppID(minted.app))], environments: [.production], categories: [.appStore],
            roots: try #require(PinnedRoots(pem: minted.root)))
        for row in minted.attestations {
            var flaw: AppAttestFlaw?
            do throws(AppAttestFlaw) {
                let attested = try policy.verify(
                    attestation: Array(row.bytes), keyID: keyID, clientDataHash: Array(minted.clientDataHash),
                    now: minted.at)
                #expect(attested.publicKey == key)
            } catch {
                flaw = error
            }
            #expect(flaw?.rawValue == row.flaw, "\(row.name)")
        }
        for row in minted.assertions {
            var flaw: AppAttestFlaw?
            do throws(AppAttestFlaw) {
                _ = try policy.verify(
                    assertion: Array(row.bytes), by: key, clientData: minted.clientData,
                    lastCounter: row.lastCounter ?? 0)
            } catch {
                flaw = error
            }
            #expect(flaw?.rawValue == row.flaw, "\(row.name)")
        }
    }

    /// What the other program has to say of evidence that is minted here.
    private static let rows:
        [(verdict: String, change: @Sendable (inout Given, inout AppAttestDevice) throws -> Void)] = [
            ("accepted", { _, _ in }), ("another nonce", { given, _ in given.challenge.append(0) }),
            ("another app", { given, _ in given.app += "2" }),
            ("another environment", { given, _ in given.environment = "development" }),
            ("another issuer's signature", { given, _ in given.root = try AppleAuthority(at: Date()).rootPEM }),
            ("outside its validity", { given, _ in given.at += 5 * 86_400 }),
            ("another key", { given, _ in given.keyID[0] ^= 1 }),
            ("CBOR in another form", { given, _ in given.attestation = [0xB8, 3] + given.attestation.dropFirst() }),
            ("another signature", { given, _ in given.clientData.append(0) }),
            ("another counter", { given, _ in given.counter += 1 }),
            (
                "another signature",
                { given, device in
                    var other = AppAttestDevice(app: device.app)
                    given.assertion = Data(try other.assertion(over: given.clientData))
                }
            ),
        ]

    @Test(arguments: [AppAttestEnvironment.production, .development])
    func `another program accepts what the simulated Apple makes, and nothing else`(
        _ environment: AppAttestEnvironment
    ) throws {
        let now = Date()
        let authority = try AppleAuthority(at: now)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let clientData = Data("{\"challenge\":\"a challenge\"}".utf8)
        for row in Self.rows where environment == .production || row.verdict == "accepted" {
            var device = AppAttestDevice(app: try #require(AppID("ABCDE12345.org.example.app")))
            let challenge = Data("0123456789abcdef".utf8)
            let attestation = try device.attestation(
                by: authority, clientDataHash: Array(SHA256.hash(data: challenge)), environment: environment, at: now)
            var given = Given(
                root: authority.rootPEM, app: device.app.text, environment: environment.rawValue, at: now,
                keyID: Data(device.keyID.bytes), challenge: challenge, attestation: Data(attestation),
                clientData: clientData, counter: 1, assertion: Data(try device.assertion(over: clientData)))
            try row.change(&given, &device)
            let verdict = try Self.run("verify", encoder.encode(given))
            #expect(String(decoding: verdict, as: UTF8.self) == "\(row.verdict)\n")
        }
    }

    @Test func `another program accepts what the simulated iOS 27 adds`() throws {
        let now = Date()
        let authority = try AppleAuthority(at: now)
        let device = AppAttestDevice(app: try #require(AppID("ABCDE12345.org.example.app")))
        let challenge = Data("0123456789abcdef".utf8)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        for flags: UInt8 in [0x40, 0xC0] {
            var template = try AttestationTemplate(
                publicKey: device.publicKey, clientDataHash: Array(SHA256.hash(data: challenge)), app: device.app,
                environment: .production, at: now)
            template.authenticatorData.flags = flags
            template.authenticatorData.extensions =
                AuthenticatorDataTemplate.extensions(bundleVersion: "1", category: .appStore).encoded
            let attestation = try authority.attest(template)
            // 164 bytes, and 62 of extensions, as in Apple's sample.
            #expect(attestation.authenticatorData.count == 226)
            let given = Given(
                root: authority.rootPEM, app: device.app.text, environment: "production", at: now,
                keyID: Data(device.keyID.bytes), challenge: challenge, attestation: Data(attestation.bytes),
                clientData: Data(), counter: 0, assertion: Data())
            let verdict = try Self.run("verify", encoder.encode(given))
            #expect(String(decoding: verdict, as: UTF8.self) == "accepted\n")
        }
    }
}
