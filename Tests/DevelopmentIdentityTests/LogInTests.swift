import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import DevelopmentIdentity

@Suite("Log-in pages", .timeLimit(.minutes(5))) struct LogInTests {
    @Test("one-time codes are those of RFC 6238, appendix B")
    func vectors() {
        let secret = Array("12345678901234567890".utf8)
        for (second, code) in [
            (59.0, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] {
            let step = OneTimeCode.step(at: Date(timeIntervalSince1970: second))
            #expect(OneTimeCode.text(secret: secret, step: step) == code)
        }
    }

    @Test("a user's secret is read from base 32")
    func base32() {
        func bytes(_ secret: String) -> [UInt8]? {
            User(name: "", password: "", secret: secret, subject: "", fullName: "", roles: []).secretBytes
        }
        #expect(bytes("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ") == Array("12345678901234567890".utf8))
        #expect(bytes("GEZDGNBVGY3TQOJQ") == nil)
        #expect(bytes("gezdgnbvgy3tqojqgezdgnbvgy3tqojq") == nil)
        #expect(User.development.allSatisfy { $0.secretBytes?.count == 20 })
        #expect(Set(User.development.map(\.secret)).count == User.development.count)
    }

    @Test("the pages are forms with labels, in the wanted language, and may lead to the client")
    func pages() async throws {
        try await Stage.with { stage in
            let page = try await stage.get("/authorize", Stage.authorization.merging(["ui_locales": "fr de en"]) { $1 })
            #expect(page.status == 200)
            #expect(page.body.contains(#"<html lang="de">"#))
            #expect(page.body.contains(#"<label for="user">Benutzername</label>"#))
            #expect(page.body.contains(#"autocomplete="current-password""#))
            let policy = page.fields["content-security-policy"].first ?? ""
            #expect(policy.contains("form-action 'self' https://other.test https://portal.test;"))
            #expect(page.fields["strict-transport-security"].isEmpty)
            let style = try #require(page.body.firstMatch(of: /href="(\/assets\/[^"]+)"/))
            #expect(try await stage.get(String(style.1)).fields["content-type"] == ["text/css; charset=utf-8"])
        }
    }

    @Test("a wrong password and an unknown user are refused alike")
    func wrongPassword() async throws {
        try await Stage.with { stage in
            let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            var bodies: Set<String> = []
            for (user, password) in [("officer", "wrong"), ("nobody", DevelopmentUser.password), ("", "")] {
                let answer = try await stage.submit("/log-in", ["number": number, "user": user, "password": password])
                #expect(answer.body.contains(#"role="alert""#) && !answer.body.contains("one-time-code"))
                bodies.insert(answer.body)
            }
            #expect(bodies.count == 1)
        }
    }

    @Test("without the password, the second factor is of no use")
    func order() async throws {
        try await Stage.with { stage in
            let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            let answer = try await stage.submit(
                "/second-factor", ["number": number, "code": try await stage.oneTimeCode(.officer)])
            #expect(answer.status == 400)
            #expect(answer.fields["location"].isEmpty)
        }
    }

    private func afterPassword(_ stage: Stage) async throws -> String {
        let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
        let second = try await stage.submit(
            "/log-in", ["number": number, "user": "officer", "password": DevelopmentUser.password])
        return try Stage.number(in: second)
    }

    @Test("a one-time code is accepted once, and for half a minute before and after its own")
    func oneTime() async throws {
        try await Stage.with { stage in
            stage.clock.set(Date(timeIntervalSince1970: 1_900_000_020))
            let code = try await stage.oneTimeCode(.officer)
            let first = try await afterPassword(stage)
            #expect(try await stage.submit("/second-factor", ["number": first, "code": code]).status == 303)
            stage.forgetCookies()
            let second = try await afterPassword(stage)
            #expect(try await stage.submit("/second-factor", ["number": second, "code": code]).status == 200)
            // Another person's code isn't this one's.
            let others = try await stage.oneTimeCode(.analyst)
            #expect(try await stage.submit("/second-factor", ["number": second, "code": others]).status == 200)
            let fresh = try await stage.oneTimeCode(.officer)
            stage.clock.advance(by: 61)
            #expect(try await stage.submit("/second-factor", ["number": second, "code": fresh]).status == 200)
            stage.clock.advance(by: -30)
            #expect(try await stage.submit("/second-factor", ["number": second, "code": fresh]).status == 303)
        }
    }

    @Test("a sign-in that began in another browser, or half an hour ago, is over")
    func otherBrowser() async throws {
        try await Stage.with { stage in
            let number = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            let form = ["number": number, "user": "officer", "password": DevelopmentUser.password]
            stage.forgetCookies()
            #expect(try await stage.submit("/log-in", form).status == 400)
            _ = try await stage.get("/authorize", Stage.authorization)
            #expect(try await stage.submit("/log-in", form).status == 400)
            let own = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            stage.clock.advance(by: 1_801)
            #expect(try await stage.submit("/log-in", form.merging(["number": own]) { $1 }).status == 400)
        }
    }

    @Test("two tabs of one browser can sign in one after the other")
    func tabs() async throws {
        try await Stage.with { stage in
            let first = try Stage.number(in: try await stage.get("/authorize", Stage.authorization))
            _ = try await stage.get("/authorize", Stage.authorization)
            let form = ["number": first, "user": "officer", "password": DevelopmentUser.password]
            #expect(try await stage.submit("/log-in", form).body.contains("one-time-code"))
        }
    }

    @Test("the control port gives out codes that haven't been used, and says when there is none")
    func control() async throws {
        try await Stage.with { stage in
            let query = #"{"user":"officer"}"#
            let one = try await stage.control("one-time-code", query)
            #expect(try await stage.control("one-time-code", query).body == one.body)
            for _ in 0..<2 {
                let answer = try await stage.control("one-time-code", query)
                let code = try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))["code"] ?? ""
                let number = try await afterPassword(stage)
                #expect(try await stage.submit("/second-factor", ["number": number, "code": code]).status == 303)
                stage.forgetCookies()
            }
            #expect(try await stage.control("one-time-code", query).status == 429)
            #expect(try await stage.control("one-time-code", #"{"user":"officer","forgetsUsed":true}"#).status == 200)
            #expect(try await stage.control("one-time-code", #"{"user":"nobody"}"#).status == 400)
        }
    }

    @Test("what is kept is bounded: the oldest gives way")
    func bounded() {
        var kept = Bounded<Int>(capacity: 3)
        for number in 0..<100 {
            kept["\(number)"] = number
            if number.isMultiple(of: 3) { kept["\(number)"] = nil }
        }
        #expect(kept.all.count <= 3)
        #expect(kept["98"] == 98)
        #expect(kept["0"] == nil)
        kept["98"] = 1
        #expect(kept["98"] == 1)
    }
}
