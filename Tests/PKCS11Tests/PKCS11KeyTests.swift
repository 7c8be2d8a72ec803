import CPKCS11
import Crypto
import CryptoExtras
import Foundation
import Running
import TestSupport
import Testing

@testable import PKCS11

@Suite(
    "A signing key on a token", .heavy, .enabled(if: SoftHSM.isAvailable, "VIGIL_TEST_SOFTHSM is not set"),
    .timeLimit(.minutes(5)))
struct PKCS11KeyTests {
    private let tokens: SoftHSM

    init() throws {
        tokens = try SoftHSM.tokens.get()
    }

    private func key(
        _ key: String, token: String = "vigil", pinFile: String? = nil, kinds: [PKCS11KeyKind] = PKCS11KeyKind.allCases
    ) throws -> PKCS11Key {
        try PKCS11Key(PKCS11URI(tokens.uri(key, token: token, pinFile: pinFile)), kinds: kinds)
    }

    private func problem(
        _ name: String, token: String = "vigil", pinFile: String? = nil, kinds: [PKCS11KeyKind] = PKCS11KeyKind.allCases
    ) throws -> PKCS11Problem? {
        do {
            _ = try key(name, token: token, pinFile: pinFile, kinds: kinds)
            return nil
        } catch let problem as PKCS11Problem {
            return problem
        }
    }

    // MARK: Signatures

    /// Names of keys that the token generated, and what they are.
    private static let examples: [(String, PKCS11KeyKind)] = [
        ("object=signing", .p256), ("id=%01", .p256), ("object=signing;id=%01;type=private", .p256),
        ("object=curve384", .p384), ("object=rsa3072", .rsa),
    ]

    @Test("a key that was generated on the token signs, and OpenSSL verifies the signature", arguments: examples)
    func generated(name: String, kind: PKCS11KeyKind) async throws {
        let key = try key(name, kinds: [kind])
        switch (key.publicKey, kind) {
        case (.p256, .p256), (.p384, .p384), (.rsa, .rsa): break
        default: Issue.record("another kind")
        }
        let digest = SHA256.hash(data: Array("what is signed".utf8))
        let signature = try await key.sign(digest)
        #expect(key.publicKey.accepts(signature, over: digest))
        #expect(!key.publicKey.accepts(signature, over: SHA256.hash(data: [1])))
        #expect(!key.publicKey.accepts(signature.reversed(), over: digest))
    }

    @Test("a key that was imported to the token keeps its public key")
    func imported() async throws {
        let key = try key("object=imported")
        #expect(key.publicKey == .p256(tokens.imported.publicKey))
        let digest = SHA256.hash(data: [1, 2, 3])
        let signature = try P256.Signing.ECDSASignature(derRepresentation: try await key.sign(digest))
        #expect(tokens.imported.publicKey.isValidSignature(signature, for: digest))
    }

    @Test("openssl verifies what the token signs", arguments: ["object=signing", "object=curve384", "object=rsa3072"])
    func openssl(name: String) async throws {
        let key = try key(name)
        try await withScratchFolder { folder in
            let folder = URL(filePath: folder)
            let (publicKey, der, file) = (
                folder.appending(path: "key.pem"), folder.appending(path: "der"), folder.appending(path: "file")
            )
            try Data(key.publicKey.pem.utf8).write(to: publicKey)
            let content = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
            try content.write(to: file)
            // r and s are short now and then, and DER must be too.
            for _ in 0..<20 {
                try Data(try await key.sign(SHA256.hash(data: content))).write(to: der)
                let verify = ["dgst", "-sha256", "-verify", publicKey.path, "-signature", der.path, file.path]
                #expect(try SoftHSM.run("openssl", verify).contains("Verified OK"))
            }
        }
    }

    /// Modules differ in whether they put an OCTET STRING around a point.
    @Test("a point is read with and without an OCTET STRING around it, whatever it begins with")
    func points() {
        for _ in 0..<300 {
            let (p256, p384) = (P256.Signing.PrivateKey().publicKey, P384.Signing.PrivateKey().publicKey)
            let points = [
                (PKCS11KeyKind.p256, Array(p256.x963Representation)), (.p384, Array(p384.x963Representation)),
            ]
            for ((kind, point), pem) in zip(points, [p256.pemRepresentation, p384.pemRepresentation]) {
                #expect(PKCS11PublicKey(kind, point: point)?.pem == pem)
                #expect(PKCS11PublicKey(kind, point: [0x04, UInt8(point.count)] + point)?.pem == pem)
                #expect(PKCS11PublicKey(kind, point: point.dropLast()) == nil)
                #expect(PKCS11PublicKey(kind == .p256 ? .p384 : .p256, point: point) == nil)
            }
        }
    }

    @Test("fifty concurrent signatures by two keys of one token are all valid")
    func concurrent() async throws {
        let keys = [try key("object=signing"), try key("object=imported")]
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<50 {
                let key = keys[Int(number) % 2]
                group.addTask {
                    let digest = SHA256.hash(data: [number])
                    return key.publicKey.accepts(try await key.sign(digest), over: digest)
                }
            }
            let outcomes = try await group.reduce(into: []) { $0.append($1) }
            #expect(outcomes.count == 50)
            #expect(outcomes.allSatisfy { $0 })
        }
    }

    @Test("a lost session is reopened, whether it was closed or logged out")
    func lostSessions() async throws {
        let key = try key("object=signing", token: "fragile")
        let place = try PKCS11URI(tokens.uri("object=signing", token: "fragile"))
        let digest = SHA256.hash(data: [7])
        for _ in 0..<3 {
            let module = try PKCS11Module(path: place.modulePath)
            let (slot, _) = try module.token(place)
            try module.call("C_CloseAllSessions", \.C_CloseAllSessions) { $0(slot) }
            #expect(key.publicKey.accepts(try await key.sign(digest), over: digest))

            var session = CK_SESSION_HANDLE()
            try module.call("C_OpenSession", \.C_OpenSession) {
                $0(slot, CK_FLAGS(CKF_SERIAL_SESSION), nil, nil, &session)
            }
            try module.call("C_Logout", \.C_Logout) { $0(session) }
            try module.call("C_CloseSession", \.C_CloseSession) { $0(session) }
            #expect(key.publicKey.accepts(try await key.sign(digest), over: digest))
        }
    }

    @Test("a PIN that was changed while the session was lost is tried only once")
    func changedPIN() async throws {
        let pinFile = FileManager.default.temporaryDirectory.appending(path: "vigil-pin-\(UUID().uuidString)").path
        try FileManager.default.copyItem(atPath: tokens.pinFile, toPath: pinFile)
        defer { try? FileManager.default.removeItem(atPath: pinFile) }
        let key = try key("object=signing", token: "changing", pinFile: pinFile)
        let place = try PKCS11URI(tokens.uri("object=signing", token: "changing"))
        let module = try PKCS11Module(path: place.modulePath)
        try FileManager.default.removeItem(atPath: pinFile)
        try FileManager.default.copyItem(atPath: tokens.wrongPINFile, toPath: pinFile)
        let (slot, _) = try module.token(place)
        try module.call("C_CloseAllSessions", \.C_CloseAllSessions) { $0(slot) }
        let digest = SHA256.hash(data: [7])
        await #expect(throws: PKCS11Problem.pinRefused) { try await key.sign(digest) }
        // Even the right one has to wait for the next start.
        try FileManager.default.removeItem(atPath: pinFile)
        try FileManager.default.copyItem(atPath: tokens.pinFile, toPath: pinFile)
        await #expect(throws: PKCS11Problem.pinRefused) { try await key.sign(digest) }
        #expect(try problem("object=signing", token: "changing") == nil)
    }

    @Test("a signature fails after the timeout if the module doesn't answer")
    func silence() async throws {
        let place = try PKCS11URI(tokens.uri("object=signing"))
        let key = try PKCS11Key(place, kinds: [.p256], timeout: .milliseconds(20))
        let digest = SHA256.hash(data: [7])
        key.queue.suspend()
        await #expect(throws: PKCS11Problem.noAnswer) { try await key.sign(digest) }
        key.queue.resume()
    }

    // MARK: What is wrong, in words

    @Test(
        "each kind of unusable key has its own error",
        arguments: [
            ("object=missing", PKCS11Problem.noKey), ("object=signing;id=%02", .noKey), ("object=twin", .severalKeys),
            ("object=rsa", .otherKind(PKCS11KeyKind.allCases)), ("object=alone", .noPublicKey),
            ("object=mismatched", .publicKeyDoesNotMatch),
        ])
    func unusable(name: String, expected: PKCS11Problem) throws {
        #expect(try problem(name) == expected)
    }

    @Test(
        "a key of another kind than the caller uses is refused, with the kinds that it uses",
        arguments: [
            ("object=curve384", [.p256]), ("object=rsa3072", [.p256, .p384]), ("object=signing", [.rsa]),
            ("object=signing", [.p384]), ("object=curve384", [.rsa, .p256]),
        ] as [(String, [PKCS11KeyKind])])
    func otherKinds(name: String, kinds: [PKCS11KeyKind]) throws {
        let problem = try problem(name, kinds: kinds)
        #expect(problem == .otherKind(kinds))
        for kind in PKCS11KeyKind.allCases {
            #expect(problem?.description.contains(kind.description) == kinds.contains(kind))
        }
    }

    @Test("keys with the same label are distinguished by their identifiers")
    func twins() throws {
        let pems = try ["object=twin;id=%04", "object=twin;id=%05"].map { try key($0).publicKey.pem }
        #expect(Set(pems).count == 2)
    }

    @Test("a missing token and an ambiguous token have errors of their own")
    func missingTokens() throws {
        #expect(try problem("object=signing", token: "nobody") == .noToken)
        // No label is the beginning of another.
        #expect(try problem("object=signing", token: "vig") == .noToken)
        #expect(try problem("object=signing", token: "vigil;serial=1") == .noToken)
        #expect(try problem("object=signing", token: "double") == .severalTokens)
        #expect(try problem("object=signing", token: "vigil;manufacturer=SoftHSM%20project;model=SoftHSM%20v2") == nil)
    }

    @Test("a wrong PIN is reported; the right one works afterwards")
    func wrongPIN() throws {
        let refused = try problem("object=signing", token: "guarded", pinFile: tokens.wrongPINFile)
        #expect(refused == .pinRefused)
        #expect(refused?.description.contains("999999") == false)
        #expect(try problem("object=signing", token: "guarded") == nil)
        #expect(
            try problem("object=signing", token: "guarded", pinFile: tokens.openPINFile)
                == .pinFile(.openToAll(tokens.openPINFile)))
        #expect(
            try problem("object=signing", token: "guarded", pinFile: "/nonexistent")
                == .pinFile(.unreadable("/nonexistent")))
    }

    @Test("a missing PIN is reported")
    func noPIN() throws {
        let place = try PKCS11URI("pkcs11:token=vigil;object=signing?module-path=\(tokens.module)")
        #expect(throws: PKCS11Problem.pinMissing) { try PKCS11Key(place, kinds: [.p256]) }
    }

    @Test("no PIN is tried if a wrong one would lock the token, or has locked it")
    func lockedPIN() {
        #expect(throws: PKCS11Problem.pinLastTry) {
            try PKCS11PINState(CK_FLAGS(CKF_USER_PIN_FINAL_TRY | CKF_USER_PIN_COUNT_LOW)).requireAttemptLeft()
        }
        #expect(throws: PKCS11Problem.pinLocked) {
            try PKCS11PINState(CK_FLAGS(CKF_USER_PIN_LOCKED)).requireAttemptLeft()
        }
        #expect(throws: Never.self) {
            try PKCS11PINState(CK_FLAGS(CKF_USER_PIN_COUNT_LOW)).requireAttemptLeft()
        }
    }

    @Test("a missing module, and a library that is no module, are reported")
    func missingModules() throws {
        func problem(_ module: String) throws -> PKCS11Problem? {
            let place = try PKCS11URI("pkcs11:token=vigil;object=signing?module-path=\(module)")
            do {
                _ = try PKCS11Key(place, kinds: [.p256])
                return nil
            } catch {
                return error
            }
        }
        #expect(try problem("/nonexistent.so") == .noModule("/nonexistent.so"))
        #expect(try problem("/etc/passwd") == .noModule("/etc/passwd"))
        // A library that is loaded already, wherever this system keeps it.
        let handle = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: try #require(try handle.readToEnd()), as: UTF8.self)
        let line = try #require(maps.split(separator: "\n").first { $0.contains("/libm.so") })
        let library = try #require(line.split(separator: " ").last.map(String.init))
        #expect(try problem(library) == .otherLibrary(library))
    }
}
