import Foundation
import HTTPContract
import HTTPTypes
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct RefreshTests {
    @Test("tokens are refreshed in their last minute, and roles are read anew")
    func lastMinute() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.clock.advance(by: 240)
            #expect(try await browser.get("/codes").status == 200)
            #expect(stage.provider.refreshCalls == 0)
            stage.clock.advance(by: 1)
            stage.provider.behave { $0.accessToken = { $0["realm_access"] = #"{"roles":["c19hotline_event"]}"# } }
            let page = try await browser.get("/codes")
            #expect(stage.provider.refreshCalls == 1)
            #expect(page.body.contains("value=\"EVENT\""))
            #expect(!page.body.contains("value=\"TEST\""))
            _ = try await browser.get("/codes")
            #expect(stage.provider.refreshCalls == 1)
            #expect(stage.metric(#"portal_provider_calls_total{call="refresh",outcome="answered"}"#) == "1")
        }
    }

    @Test("one request refreshes; others wait when the token has ended, on every replica")
    func oneAtATime() async throws {
        let gate = Gate()
        try await PortalStage.run(replicas: 2, gate: gate) { stage in
            let browser = try await stage.officer()
            stage.clock.advance(by: 301)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        var tab = browser
                        tab.base = stage.bases[number % 2]
                        return try await tab.get("/codes").status
                    }
                }
                // The provider answers when the first of them has asked.
                while stage.provider.refreshCalls == 0 { await Task.yield() }
                gate.open()
                let statuses = try await group.reduce(into: []) { $0.append($1) }
                #expect(statuses == Array(repeating: 200, count: 12))
            }
            #expect(stage.provider.refreshCalls == 1)
        }
    }

    @Test("while the token is valid, others use it instead of waiting for the provider")
    func stillValid() async throws {
        let gate = Gate()
        try await PortalStage.run(gate: gate) { stage in
            let browser = try await stage.officer()
            stage.clock.advance(by: 250)
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var tab = browser
                    return try await tab.get("/codes").status
                }
                while stage.provider.refreshCalls == 0 { await Task.yield() }
                // The first one still waits.
                var tab = browser
                let second = try await tab.get("/codes").status
                #expect(second == 200)
                gate.open()
                let first = try await group.next()
                #expect(first == 200)
            }
            #expect(stage.provider.refreshCalls == 1)
        }
    }

    @Test("a refresh goes on when the officer closes the page: the provider has spent the refresh token")
    func closedPage() async throws {
        let gate = Gate()
        try await PortalStage.run(gate: gate) { stage in
            var browser = try await stage.officer()
            let old = try await stage.sealed()
            stage.clock.advance(by: 250)
            let port = try #require(URL(string: browser.base)?.port)
            let tls = ClientTLS(trusting: "\(stage.certificates.directory)/authority.pem")
            let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            try await RawTLSConnection.open(port: port, tls: tls) { page in
                try await page.write(
                    "GET /codes HTTP/1.1\r\nHost: localhost:\(port)\r\nSec-Fetch-Site: same-origin\r\nCookie: \(cookies)\r\n\r\n"
                )
                while stage.provider.refreshCalls == 0 { await Task.yield() }
                try await page.reset()
            }
            // Meanwhile the portal learns that the page is gone.
            #expect(try await browser.get("/help").status == 200)
            gate.open()
            func count(_ outcome: String) -> String? {
                stage.metric(#"portal_provider_calls_total{call="refresh",outcome="\#(outcome)"}"#)
            }
            while count("answered") != "1", count("unavailable") != "1" { await Task.yield() }
            try #require(count("answered") == "1")
            while try await stage.sealed() == old { await Task.yield() }
            stage.clock.advance(by: 60)
            #expect(try await browser.get("/codes").status == 200)
            #expect(stage.provider.refreshCalls == 1)
        }
    }

    @Test("a provider that has ended the session ends it here")
    func ended() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.provider.endSessions()
            stage.clock.advance(by: 250)
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("tokens of another officer, or unsigned ones, end the session", arguments: [true, false])
    func strange(isOther: Bool) async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.provider.behave {
                if isOther {
                    $0.idToken = { $0["sub"] = #""officer-2""# }
                    $0.accessToken = { $0["sub"] = #""officer-2""# }
                } else {
                    $0.signature = .foreign
                }
            }
            stage.clock.advance(by: 250)
            #expect(try await browser.get("/codes").refusal == "notSignedIn")
        }
    }

    @Test("while the provider is away, officers work until their token ends, and go on when it is back")
    func away() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            stage.provider.behave { $0.tokens = .status(.serviceUnavailable) }
            stage.clock.advance(by: 250)
            let form = try await browser.form()
            #expect(try await browser.post("/codes", ["kind": "TEST", "form": form]).status == 303)
            // A failure isn't repeated by every click.
            #expect(stage.provider.refreshCalls == 1)
            stage.clock.advance(by: 44)
            #expect(try await browser.get("/codes").status == 200)
            stage.clock.advance(by: 1)
            let answer = try await browser.get("/codes")
            #expect(answer.status == 503)
            #expect(answer.refusal == "providerAway")
            let next = try await browser.post("/codes", ["kind": "TEST", "form": form])
            #expect(next.status == 503)
            // No token was sent after its end.
            #expect(stage.verification.tokens.count == 1)
            // Pages that need no officer are there.
            #expect(try await browser.get("/help").status == 200)

            stage.provider.behave { $0.tokens = .works }
            stage.clock.advance(by: 60)
            #expect(try await browser.get("/codes").status == 200)
        }
    }
}
