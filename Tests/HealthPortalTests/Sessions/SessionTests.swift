import Credentials
import Foundation
import HTTPContract
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import HealthPortal

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct SessionTests {
    private static let planted = String(repeating: "ab", count: 32)

    @Test("an identifier that somebody planted in the browser never becomes a session's")
    func fixation() async throws {
        try await PortalStage.run { stage async throws in
            var browser = stage.browser()
            browser.cookies["__Host-session"] = Self.planted
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
            #expect(try await browser.signIn().status == 303)
            #expect(browser.cookies["__Host-session"] != Self.planted)
            var attacker = stage.browser()
            attacker.cookies["__Host-session"] = Self.planted
            #expect(try await attacker.get("/codes").refusal == "notSignedIn")
        }
    }

    @Test("each sign-in has a new identifier, and ends the browser's old session")
    func renewal() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let old = browser.cookies
            #expect(try await browser.signIn().status == 303)
            #expect(browser.cookies != old)
            #expect(try await stage.rows().count == 1)
            var copy = browser
            copy.cookies = old
            #expect(try await copy.get("/codes").refusal == "notSignedIn")
            #expect(try await browser.get("/codes").status == 200)
        }
    }

    @Test("a session ends half an hour after the last request, by the minute")
    func idle() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.clock.advance(by: 30 * 60 - 1)
            #expect(try await browser.get("/codes").status == 200)
            stage.clock.advance(by: 29 * 60)
            #expect(try await browser.get("/help").status == 200)
            stage.clock.advance(by: 30 * 60)
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
        }
    }

    @Test("a session ends ten hours after the sign-in, however busy it is")
    func absolute() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            for _ in 0..<29 {
                stage.clock.advance(by: 20 * 60)
                #expect(try await browser.get("/codes").status == 200)
            }
            stage.clock.advance(by: 20 * 60 - 1)
            #expect(try await browser.get("/codes").status == 200)
            stage.clock.advance(by: 1)
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
        }
    }

    @Test("two cookies of the name, or one that is no identifier, open nothing")
    func cookies() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let id = try #require(browser.cookies["__Host-session"])
            let other = stage.browser()
            for (field, status) in [
                ("__Host-session=\(id); __Host-session=\(id)", 400),
                ("__Host-session=\(Self.planted); __Host-session=\(id)", 400), ("__Host-session=\(id)00", 403),
                ("__Host-session=", 403), ("session=\(id)", 403), ("__Host-session=\(id.dropLast())", 403),
            ] {
                var stranger = other
                let answer = try await stranger.ask(.GET, "/codes", headers: [("cookie", field)])
                #expect(answer.status == status, "\(field.count)")
            }
            #expect(try await browser.get("/codes").status == 200)
        }
    }

    @Test(
        "a stolen table shows no officer, token, code or identifier, and opens nothing, not even with the server's key")
    func stolenTable() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
            let code = try #require(try await browser.code())
            let id = try #require(browser.cookies["__Host-session"])
            let row = try #require(try await stage.rows().first)
            let token = try #require(stage.verification.tokens.first)
            for secret in ["Ada", "officer-1", "session-1", token, code, id] {
                #expect(!row.contains(secret))
                #expect(!row.contains(Array(secret.utf8).hex))
            }
            let sealed = try #require(try await stage.sealed().first)
            let keys = try SessionKeys(Settings(["secrets.sessionKey": stage.sessionKey]))
            let columns = row.matches(of: #/[0-9a-f]{64}/#).compactMap { [UInt8](hex: $0.output) }
            #expect(columns.count >= 3)
            for guess in columns + [Array(id.utf8)] {
                #expect(keys.open(sealed, as: SignedInOfficer.self, for: guess, .officer) == nil)
            }
            // The control: with the browser's identifier it opens.
            let bytes = try #require([UInt8](hex: id))
            #expect(keys.open(sealed, as: SignedInOfficer.self, for: bytes, .officer)?.name == "Ada Lovelace")
            #expect(keys.open(sealed, as: SignedInOfficer.self, for: bytes, .codes) == nil)
        }
    }

    @Test("while the server's key is replaced, sessions under the previous one go on and can be ended")
    func rotation() async throws {
        try await withScratchFolder { folder in
            try rotate("\(folder)/old.key", "\(folder)/new.key")
        }
    }

    private func rotate(_ old: String, _ new: String) throws {
        try String(repeating: "3d", count: 32).write(toFile: old, atomically: true, encoding: .utf8)
        try String(repeating: "4e", count: 32).write(toFile: new, atomically: true, encoding: .utf8)
        let both = ["secrets.sessionKey": new, "secrets.previousSessionKey": old]
        let before = try SessionKeys(Settings(["secrets.sessionKey": old]))
        let during = try SessionKeys(Settings(both))
        let after = try SessionKeys(Settings(["secrets.sessionKey": new]))
        let id = SessionID()
        let sealed = try before.seal("content", for: id.bytes, .officer)
        #expect(during.open(sealed, as: String.self, for: id.bytes, .officer) == "content")
        #expect(after.open(sealed, as: String.self, for: id.bytes, .officer) == nil)
        #expect(during.hashes(subject: "officer").contains(before.hashes(subject: "officer")[0]))
        #expect(during.hashes(subject: "officer")[0] == after.hashes(subject: "officer")[0])
        // What is sealed now opens with the new key alone.
        let renewed = try during.seal("content", for: id.bytes, .officer)
        #expect(after.open(renewed, as: String.self, for: id.bytes, .officer) == "content")
        #expect(before.open(renewed, as: String.self, for: id.bytes, .officer) == nil)
    }

    @Test("the gauge counts open sessions of all replicas at the hour, and follows no sign-in")
    func gauge() async throws {
        try await PortalStage.run { stage in
            _ = try await stage.officer()
            #expect(["0", "0.0"].contains(stage.metric("portal_sessions") ?? "0"))
        }
    }
}
