import Credentials
import Foundation
import PushFormat
import Running
import Testing

@testable import PushDispatcher

@Suite struct TokenVaultTests {
    private let vault = TokenVault(secret: Array(0..<32))
    private let stranger = TokenVault(secret: Array(1..<33))

    @Test(
        "every token is restored unchanged, and all sealed tokens have one length",
        arguments: [
            "aa", String(repeating: "b1", count: 100), String(repeating: "x", count: 255),
        ])
    func roundTrip(text: String) throws {
        let token = Secret(text)
        let hash = vault.hash(token: token)
        let sealed = try vault.seal(token, hash: hash)
        #expect(sealed.count == 12 + 256 + 16)
        #expect(vault.open(sealed, hash: hash)?.exposed { $0 } == text)
        #expect(try vault.seal(token, hash: hash) != sealed)
    }

    @Test("nothing opens without the key, under another hash, or after any modification")
    func closed() throws {
        let token = Secret("a1b2")
        let hash = vault.hash(token: token)
        let sealed = try vault.seal(token, hash: hash)
        #expect(stranger.open(sealed, hash: hash) == nil)
        #expect(vault.open(sealed, hash: vault.hash(token: Secret("a1b3"))) == nil)
        #expect(vault.open([], hash: hash) == nil)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(vault.open(changed, hash: hash) == nil)
        }
    }

    @Test("hashes of the same text differ by purpose and by key")
    func hashes() {
        let text = Secret("a1b2")
        let all = [vault, stranger].flatMap { [$0.hash(instance: text), $0.hash(token: text)] }
        #expect(Set(all).count == 4)
        #expect(vault.hash(token: text) == vault.hash(token: Secret("a1b2")))
    }

    @Test("a push's id is a UUID that is the same for the same wave and phone only")
    func names() {
        let phones = ["A", "B"].map { vault.hash(instance: Secret($0)) }
        let waves = [WaveID.fresh(), WaveID.fresh()]
        let names = waves.flatMap { wave in phones.map { vault.pushID(wave: wave.bytes, instance: $0) } }
        #expect(Set(names).count == 4)
        #expect(names[0] == vault.pushID(wave: waves[0].bytes, instance: phones[0]))
        #expect(names.allSatisfy { $0.uuidString.dropFirst(14).first == "4" })
    }

    @Test("a push token is never printed")
    func silence() throws {
        let token = try #require(PushToken("A1B2"))
        #expect(token.hex == "a1b2")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \(dumped)".lowercased().contains("a1b2"))
    }

    @Test("the key must be a file of 64 hexadecimal digits", arguments: ["", "5a", "not hexadecimal"])
    func file(text: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        #expect(throws: ConfigurationProblem.self) { try TokenVault(Settings(["secrets.tokenKey": file.path])) }
    }
}
