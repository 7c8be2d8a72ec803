import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct CodeTests {
    private static let event = ["kind": "EVENT", "authority": "1.01.0.01."]

    @Test("an officer makes a code, reads it from its page, and the address has nothing of it")
    func makes() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            let answer = try await browser.post("/codes", ["kind": "TEST", "form": form])
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == ["/codes/current"])
            let page = try await browser.get("/codes/current")
            #expect(page.code == stage.verification.codes.first?.text)
            #expect(page.kind == "TEST")
            #expect(page.secondsLeft == "3600")
            #expect(!page.isTraining)
            stage.clock.advance(by: 61)
            #expect(try await browser.get("/codes/current").secondsLeft == "3539")
            // No other page has it.
            let code = try #require(stage.verification.codes.first?.text)
            #expect(try await !browser.get("/codes").body.contains(code))
            #expect(stage.metric("portal_code_seconds_count") == "1")

            let next = try await browser.form("EVENT")
            var wish = Self.event
            wish["form"] = next
            #expect(try await browser.post("/codes", wish).status == 303)
            let event = try await browser.get("/codes/current")
            #expect(event.kind == "EVENT")
            #expect(event.body.contains("<bdi>Flensburg (1.01.0.01.)</bdi>"))
            #expect(event.secondsLeft == nil)
            #expect(stage.verification.codes.count == 2)
        }
    }

    @Test("one form makes one code: double click, two tabs, reload and Back show the same")
    func repeats() async throws {
        try await PortalStage.run(replicas: 2) { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            let clicks = browser
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var tab = clicks
                        tab.base = stage.bases[number % 2]
                        return try await tab.post("/codes", ["kind": "TEST", "form": form]).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 303, count: 8))
            let code = try await browser.code()
            #expect(code != nil)
            // Reload of the post, and Back.
            for _ in 0..<2 {
                #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
                #expect(try await browser.code() == code)
            }
            #expect(stage.verification.codes.count == 1)
            // The next form makes another.
            let next = try await browser.form()
            #expect(next != form)
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": next]).status == 303)
            #expect(try await browser.code() != code)
            // And the first form is history.
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).refusal == "formUsed")
            #expect(stage.verification.codes.count == 2)
        }
    }

    @Test("after a lost answer the same form gets the code that was made")
    func lostAnswer() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            stage.verification.loseAnswers(true)
            let lost = try await browser.post("/codes", ["kind": "TEST", "form": form])
            #expect(lost.status == 503)
            #expect(lost.refusal == "verificationAway")
            #expect(try await browser.code() == nil)
            stage.verification.loseAnswers(false)
            // The page has the same form again.
            #expect(try await browser.form() == form)
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
            #expect(try await browser.code() == stage.verification.codes.first?.text)
            #expect(stage.verification.codes.count == 1)
        }
    }

    @Test("a code that was told is gone from every tab, and comes back only until ten minutes after its issue")
    func told() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            _ = try await browser.post("/codes", ["kind": "TEST", "form": form])
            let code = try await browser.code()
            #expect(try await browser.get("/codes").showsLastCode)
            let hidden = try await browser.post("/codes/current/hide")
            #expect(hidden.fields["location"] == ["/codes/current"])
            // So that Back asks the server (browsers then don't restore the page from memory).
            #expect(hidden.fields["set-cookie"].count == 1)
            let page = try await browser.get("/codes/current")
            #expect(page.code == nil)
            #expect(page.canBeShownAgain)
            #expect(try await !browser.get("/codes").showsLastCode)
            // The old form doesn't bring it back.
            let used = try await browser.post("/codes", ["kind": "TEST", "form": form])
            #expect(used.status == 409)
            #expect(used.refusal == "formUsed")
            #expect(try await browser.code() == nil)

            #expect(try await browser.post("/codes/current/show").status == 303)
            #expect(try await browser.code() == code)
            stage.clock.advance(by: 599)
            #expect(try await browser.code() == code)
            stage.clock.advance(by: 1)
            let late = try await browser.get("/codes/current")
            #expect(late.code == nil)
            #expect(!late.canBeShownAgain)
            #expect(try await browser.post("/codes/current/show").status == 303)
            #expect(try await browser.code() == nil)
            #expect(stage.verification.codes.count == 1)
        }
    }

    @Test("a role allows its kind and no other")
    func roles() async throws {
        try await PortalStage.run { stage in
            for (roles, allowed) in [
                (["c19hotline"], ["TEST"]), (["c19hotline_event"], ["EVENT"]),
                (["vigil_statistics", "vigil_operator"], []),
            ] {
                var browser = try await stage.officer(.init(roles: roles))
                var all = try await stage.officer()
                let page = try await browser.get("/codes")
                #expect(page.status == (allowed.isEmpty ? 403 : 200))
                for kind in ["TEST", "EVENT"] {
                    #expect(page.body.contains("value=\"\(kind)\"") == allowed.contains(kind))
                    // Another session's number fits no form here; the role is judged first.
                    let number = allowed.contains(kind) ? try await browser.form(kind) : try await all.form(kind)
                    let wish = ["kind": kind, "form": number, "authority": "1.01.0.01."]
                    let answer = try await browser.post("/codes", wish)
                    #expect(answer.status == (allowed.contains(kind) ? 303 : 403), "\(roles) \(kind)")
                }
            }
            #expect(stage.verification.codes.count == 2)
        }
    }

    @Test("a form of another session, of another kind, or made up, makes nothing")
    func strangeForms() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            var other = try await stage.officer()
            let own = try await browser.form()
            let foreign = try await other.form()
            let training = try await browser.form(training: true)
            let cases: [([String: String], Int)] = [
                (["kind": "TEST", "form": foreign], 409), (["kind": "TEST", "form": training], 409),
                (["kind": "TEST", "form": String(own.dropLast()) + "x"], 409), (["kind": "TEST", "form": ""], 409),
                (["kind": "EVENT", "form": own, "authority": "1.01.0.01."], 409), (["kind": "TEST"], 400),
                (["form": own], 400), (["kind": "OTHER", "form": own], 400), (["kind": "test", "form": own], 400),
                (["kind": "EVENT", "form": own], 400), (["kind": "EVENT", "form": own, "authority": "2"], 400),
                ([:], 400),
            ]
            for (form, status) in cases {
                #expect(try await browser.post("/codes", form).status == status, "\(form)")
            }
            #expect(stage.verification.tokens.isEmpty)
            #expect(try await browser.code() == nil)
        }
    }

    @Test("training makes codes that no app accepts, and asks nobody")
    func training() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            for _ in 0..<20 {
                let form = try await browser.form(training: true)
                let answer = try await browser.post("/codes", ["kind": "TEST", "form": form, "training": "1"])
                #expect(answer.status == 303)
                let page = try await browser.get("/codes/current")
                let code = try #require(page.code)
                #expect(code.count == 10)
                #expect(code.allSatisfy { TeleTAN.alphabet.contains($0) })
                #expect(TeleTAN(code) == nil)
                #expect(page.isTraining)
            }
            #expect(stage.verification.tokens.isEmpty)
        }
    }

    @Test("refusals of the verification server have pages: until when, whose right is missing, what to do")
    func refusals() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.clock.advance(by: 100)
            let form = try await browser.form()
            for (problem, status, refusal) in [
                (Problem.tooManyRequests, 429, "tooMany"), (.unauthorized, 502, "misconfigured"),
                (.unavailable, 503, "verificationAway"), (Problem(.internalServerError), 503, "verificationAway"),
                (.badRequest, 503, "verificationAway"),
            ] {
                stage.verification.fail(with: problem)
                let answer = try await browser.post("/codes", ["kind": "TEST", "form": form])
                #expect(answer.status == status)
                #expect(answer.refusal?.hasPrefix(refusal) == true)
                // With the officer's frame.
                #expect(answer.officer == "Ada Lovelace")
                if status == 429 { #expect(answer.fields["retry-after"] == ["3500"]) }
            }
            stage.verification.fail(with: nil)
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
        }
    }

    @Test("what is left of the hour's limit is shown below ten, within that hour")
    func remaining() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.verification.leave(11)
            for expected in [false, true] {
                let form = try await browser.form()
                _ = try await browser.post("/codes", ["kind": "TEST", "form": form])
                #expect(try await browser.get("/codes").says(remaining: 9) == expected)
            }
            for seconds in [1200.0, 1200, 1199] {
                stage.clock.advance(by: seconds)
                _ = try await browser.get("/codes")
            }
            #expect(try await browser.get("/codes").says(remaining: 9))
            stage.clock.advance(by: 1)
            #expect(try await !browser.get("/codes").says(remaining: 9))
        }
    }

    @Test("names of officers and authorities add no element and no attribute")
    func hostileNames() async throws {
        let names = [
            "a\"\u{301} onmouseover=x", "<script>alert(1)</script>", "a\"\u{200D}onfocus=x", "\u{202E}evil",
            String(repeating: "a<b", count: 4_000), "", "'\"><img src=x>",
        ]
        try await PortalStage.run { stage in
            var plain = try await stage.officer()
            let expected = try await plain.get("/codes").body.count { $0 == "<" }
            for name in names {
                var browser = try await stage.officer(.init(name: name))
                let page = try await browser.get("/codes").body
                #expect(page.count { $0 == "<" } == expected)
                #expect(!page.contains("<script>") && !page.contains("<img") && !page.contains("<b>"))
            }
        }
    }

    @Test("without a file of authorities there are no codes for events")
    func noAuthorities() async throws {
        try await PortalStage.run(settings: ["authorities": ""]) { stage in
            var browser = try await stage.officer()
            let form = try await browser.form("EVENT")
            var wish = Self.event
            wish["form"] = form
            #expect(try await browser.post("/codes", wish).status == 400)
        }
    }
}
