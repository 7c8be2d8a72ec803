import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import Running
import Schema
import Synchronization
import TestSupport
import Testing

@testable import Distribution

@Suite(
    "Signing",
    .enabled(if: TestPostgres.isAvailable && SoftHSM.isAvailable, "VIGIL_TEST_POSTGRES or _SOFTHSM is not set"),
    .timeLimit(.minutes(5)))
struct SigningTests {
    private static let now = Samples.noon.start

    // MARK: Rotation

    @Test("while a key is replaced, an export names both, the newest first, and phones with either accept it")
    func rotation() async throws {
        let tokens = try SoftHSM.tokens.get()
        let newKeys = "262/v2=\(tokens.uri("object=imported"))"
        try await PublishingStage.run(
            minimumKeys: 1, signingKeys: { "\(newKeys), 262/v1=\($0)" }
        ) { stage in
            try await stage.fold(Samples.noon, try Samples.keys(0..<5))
            try await stage.publish(through: Samples.noon)
            let package = try #require(try stage.package(PublishingStage.path(of: Samples.noon)))
            #expect(package.signers.map(\.keyVersion) == ["v2", "v1"])
            #expect(package.signers == package.archive.signatures.map(\.identity))
            let new = VerificationKey(tokens.imported.publicKey)
            #expect(package.verify([stage.verificationKey]).map(\.outcome) == [.doesNotMatch, .matches])
            #expect(package.verify([new]).map(\.outcome) == [.matches, .doesNotMatch])

            // A lost tree has the same bytes again, without another signature.
            let tree = try stage.files()
            try stage.removeTree()
            try await stage.publish(through: Samples.noon)
            #expect(try stage.files() == tree)
        }
    }

    @Test("the executable publishes with a token and ends with 0")
    func program() async throws {
        let tokens = try SoftHSM.tokens.get()
        try await PublishingStage.run(
            minimumKeys: 1, signingKeys: { _ in "262/v7=\(tokens.uri("object=imported"))" }
        ) { stage in
            try await stage.fold(Samples.noon, try Samples.keys(0..<5))
            try await stage.markAsRehearsal()
            let configuration = try stage.writeConfiguration(moving: Samples.noon.end.timeIntervalSinceNow)
            let program = try BuiltProgram.path("distribution")
            let instant = Samples.noon.end.formatted(.iso8601)
            // It throws unless the program's status is 0: modules are known to break down when a process ends.
            let words = try SoftHSM.run(
                program, ["publish", "--as-of", instant, "--config", configuration.path])
            #expect(words.contains("publication finished"))
            #expect(!words.contains(SoftHSM.pin))
            let path = PublishingStage.path(of: Samples.noon)
            let archive = try ExportArchive.read(Array(try #require(try stage.files()[path])))
            #expect(archive.keys.count == 5)
            #expect(archive.verify([VerificationKey(tokens.imported.publicKey)]).map(\.outcome) == [.matches])
        }
    }

    // MARK: Kept signatures

    @Test("a key signs a digest once; then the kept signature is used")
    func kept() async throws {
        try await Self.withStore { store in
            let new = CountingSigner(version: "v2")
            let old = CountingSigner(version: "v1")
            let first = try await Signing([old]).signatures(over: Self.digest(1), keptIn: store, at: Self.now)
            let again = try await Signing([old]).signatures(over: Self.digest(1), keptIn: store, at: Self.now)
            #expect(first == again)
            #expect(old.count == 1)
            // Another key, or another digest, needs its own.
            let both = try await Signing([new, old]).signatures(over: Self.digest(1), keptIn: store, at: Self.now)
            #expect(both.last == first.last)
            #expect((new.count, old.count) == (1, 1))
            _ = try await Signing([new, old]).signatures(over: Self.digest(2), keptIn: store, at: Self.now)
            #expect((new.count, old.count) == (2, 2))
        }
    }

    @Test("a signature that doesn't match its public key is neither kept nor published")
    func faulty() async throws {
        try await Self.withStore { store in
            let signer = CountingSigner(version: "v3", signingWith: P256.Signing.PrivateKey())
            for count in 1...2 {
                await #expect(throws: SigningProblem.self) {
                    try await Signing([signer]).signatures(over: Self.digest(1), keptIn: store, at: Self.now)
                }
                #expect(signer.count == count)
            }
        }
    }

    @Test("a damaged kept signature is detected")
    func damaged() async throws {
        try await Self.withStore { store in
            let signer = CountingSigner(version: "v1")
            let fingerprint = Array(SHA256.hash(data: Array(signer.verificationKey.pem.utf8)))
            let other = CountingSigner(version: "v1")
            let digest = Self.digest(1)
            _ = try await store.keepSignature(
                try await other.sign(digest), over: Array(digest), by: fingerprint, at: Self.now)
            await #expect(throws: SigningProblem.self) {
                try await Signing([signer]).signatures(over: Self.digest(1), keptIn: store, at: Self.now)
            }
            #expect(signer.count == 0)
        }
    }

    private static func digest(_ byte: UInt8) -> SHA256Digest { SHA256.hash(data: [byte]) }

    private static func withStore(_ body: (DistributionStore) async throws -> Void) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .distribution)) { client in
                try await body(DistributionStore(client))
            }
        }
    }
}

/// Counts how often it is asked.
private final class CountingSigner: ArchiveSigner {
    let identity: SigningIdentity
    let verificationKey: VerificationKey
    private let key: P256.Signing.PrivateKey
    private let asked = Mutex(0)

    /// - Parameter other: what it signs with instead of its own key.
    init(version: String, signingWith other: P256.Signing.PrivateKey? = nil) {
        let own = P256.Signing.PrivateKey()
        identity = SigningIdentity(appBundleID: "org.example", keyVersion: version)
        verificationKey = VerificationKey(own.publicKey)
        key = other ?? own
    }

    var count: Int { asked.withLock { $0 } }

    func sign(_ digest: SHA256Digest) async throws -> [UInt8] {
        asked.withLock { $0 += 1 }
        return Array(try key.signature(for: digest).derRepresentation)
    }
}
