import ArgumentParser
import Foundation
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing

@testable import HealthPortal

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct RequestTests {
    @Test("parses its command line")
    func parses() throws {
        _ = try HealthPortal.parseAsRoot([])
    }

    @Test("a form that another site sends changes nothing")
    func otherSites() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            let wish = ["kind": "TEST", "form": form]
            let own = browser.base
            let cases: [([(String, String)], Int)] = [
                ([("sec-fetch-site", "cross-site"), ("origin", own)], 403), ([("sec-fetch-site", "same-site")], 403),
                ([("sec-fetch-site", "none")], 403), ([("origin", "https://evil.example")], 403),
                ([("origin", "null")], 403), ([("origin", own + ".evil.example")], 403), ([("referer", own)], 403),
                ([], 403), ([("origin", own)], 303),
            ]
            for (headers, status) in cases {
                var tab = browser
                let answer = try await tab.ask(.POST, "/codes", form: wish, headers: headers)
                #expect(answer.status == status, "\(headers)")
                if status == 403 { #expect(answer.refusal == "otherSite") }
            }
            for path in ["/logout", "/codes/current/hide", "/codes/current/show"] {
                var tab = browser
                #expect(try await tab.ask(.POST, path, form: [:], headers: []).status == 403, "\(path)")
            }
            #expect(try await browser.code() != nil)
            #expect(stage.verification.codes.count == 1)
        }
    }

    @Test("a form of another type, or longer than 8 KiB, or with a field twice, is refused")
    func forms() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            let own = ("sec-fetch-site", "same-origin")
            for type in ["text/plain", "application/json", "multipart/form-data; boundary=x"] {
                let answer = try await browser.ask(
                    .POST, "/codes", form: ["kind": "TEST"], headers: [own, ("content-type", type)])
                #expect(answer.status == 400)
                #expect(answer.refusal == "malformed")
            }
            let long = try await browser.post("/codes", ["kind": "TEST", "x": String(repeating: "x", count: 8_200)])
            #expect(long.refusal == "malformed")
            #expect(try await browser.get("/codes?training=1&training=1").refusal == "malformed")
        }
    }

    @Test("a request for another host is refused, whatever a proxy adds")
    func hosts() async throws {
        try await PortalStage.run { stage in
            var browser = stage.browser()
            let own = String(browser.base.dropFirst("https://".count))
            for (headers, status) in [
                ([("host", "evil.example")], 400), ([("host", "localhost")], 400), ([("host", own + ".")], 400),
                ([("host", own.uppercased())], 200), ([("host", own), ("x-forwarded-host", "evil.example")], 200),
                ([("host", "evil.example"), ("x-forwarded-host", own)], 400),
            ] {
                #expect(try await browser.ask(.GET, "/", headers: headers).status == status, "\(headers)")
            }
            let login = try await browser.ask(.GET, "/login", headers: [("x-forwarded-host", "evil.example")])
            #expect(login.fields["location"].first?.contains("evil") == false)
        }
    }

    @Test(
        "the language is the chosen one, else the first that the browser accepts",
        arguments: [
            ("en", "en"), ("en-GB,de;q=0.5", "en"), ("fr,de;q=0.3,en;q=0.4", "en"), ("", "de"), ("fr", "de"),
            ("de;q=0,en;q=0.1", "en"), ("*", "de"), ("EN", "en"), (";;,q=1", "de"), ("en;q=x,de;q=0.1", "de"),
        ])
    func languages(field: String, language: String) async throws {
        #expect((Languages.all.accepted(by: field) ?? .german).rawValue == language)
    }

    @Test(
        "the authority chooses among the languages; its first is for browsers that accept none of them",
        arguments: [
            ("de,en", "de", "fr", "de"), ("en,de", "de", "fr", "en"), ("en,de", "de", "de;q=0.1", "de"),
            ("en", "de", "de", "en"), ("de", "en", "en", "de"),
        ])
    func offered(languages: String, chosen: String, accepted: String, expected: String) throws {
        let languages = try Languages(Settings(["portal.languages": languages]))
        var request = Request(method: .GET, target: "/")
        request.headers[.acceptLanguage] = accepted
        #expect(languages.language(of: request).rawValue == expected)
        #expect((languages.language(named: chosen) != nil) == languages.offered.contains { $0.rawValue == chosen })
    }

    @Test("languages that the portal doesn't have are refused", arguments: ["fr", "de,pl", "de,de", "DE"])
    func strangeLanguages(list: String) {
        #expect(throws: ConfigurationProblem.self) { try Languages(Settings(["portal.languages": list])) }
    }

    @Test("a chosen language is kept, and the choice leads back to a page of the list only")
    func choice() async throws {
        try await PortalStage.run { stage in
            var browser = stage.browser()
            for (query, location) in [
                ("to=en&at=/help", "/help"), ("to=en", "/"), ("to=en&at=//evil.example", "/"),
                ("to=en&at=https://evil.example/", "/"), ("to=en&at=/codes/current", "/codes/current"),
            ] {
                let answer = try await browser.get("/language?\(query)")
                #expect(answer.status == 303)
                #expect(answer.fields["location"] == [location])
            }
            #expect(try await browser.get("/help").body.contains("<html lang=\"en\">"))
            #expect(try await browser.get("/language?to=xx").status == 400)
        }
    }

    @Test("pages for everybody are there signed out, and without a database signed in")
    func publicPages() async throws {
        try await PortalStage.run { stage in
            var browser = stage.browser()
            for path in ["/", "/help", "/accessibility", "/privacy"] {
                #expect(try await browser.get(path).status == 200)
            }
            for path in ["/codes", "/codes/current"] {
                let answer = try await browser.get(path)
                #expect(answer.status == 403)
                #expect(answer.refusal == "notSignedIn")
            }
            let missing = try await browser.get("/nowhere")
            #expect(missing.status == 404)
            #expect(missing.refusal == "notFound")
            let policy = try await browser.get("/").fields["content-security-policy"].first
            #expect(policy?.contains("form-action 'self' https://localhost:\(stage.provider.port);") == true)
        }
    }

    @Test("neither log nor metrics hold a name, token, code or identifier")
    func silence() async throws {
        let log = CapturedLog()
        try await PortalStage.run(logger: log.logger()) { stage in
            var browser = try await stage.officer()
            let form = try await browser.form()
            _ = try await browser.post("/codes", ["kind": "TEST", "form": form])
            let code = try #require(try await browser.code())
            let secrets =
                ["Ada", "officer-1", "session-1", code, form, "Flensburg"] + stage.verification.tokens
                + browser.cookies.values
            stage.provider.behave { $0.tokens = .says("garbage") }
            _ = try await browser.signIn()
            _ = try await stage.logOut(try stage.provider.logOutToken())
            let text = log.lines.joined() + stage.runtimes[0].metrics.text
            for secret in secrets where secret.count > 2 { #expect(!text.contains(secret)) }
        }
    }

    @Test("an address that the portal doesn't know gets a page that names the setting, and no code")
    func otherHost() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer()
            for method in [HTTPMethod.GET, .POST] {
                let answer = try await browser.ask(
                    method, method == .GET ? "/" : "/codes", form: method == .GET ? nil : ["kind": "TEST"],
                    headers: [("host", "codes.example.org"), ("sec-fetch-site", "same-origin")])
                #expect(answer.status == 400)
                #expect(answer.refusal == "otherHost")
                #expect(answer.body.contains("VIGIL_PORTAL_ORIGINS"))
            }
            #expect(stage.verification.codes.isEmpty)
        }
    }

    @Test("the simulated identity provider is an error at start, if the portal has an address for other machines")
    func simulatedProvider() async throws {
        let issuer = "https://development-identity:8080"
        for settings in [
            ["origins": "https://codes.gesundheit.de"], ["published.addresses": "127.0.0.1,0.0.0.0:443"],
        ] {
            let problem = await #expect(throws: ConfigurationProblem.self) {
                try await PortalStage.run(settings: settings.merging(["provider.issuer": issuer]) { $1 }) { _ in }
            }
            #expect(problem?.description.contains("provider.issuer names the simulated identity provider") == true)
        }
    }

    @Test(
        "a setting that would make sign-in unsafe is an error at start",
        arguments: [
            ("origins", ""), ("origins", "http://localhost"), ("origins", "https://localhost/path"),
            ("provider.issuer", "http://localhost/realms/health"), ("provider.issuer", "https://localhost/?x"),
            ("provider.clientKey", "/dev/null"), ("provider.scope", "profile"), ("provider.rolesClaim", "a..b"),
            ("provider.authorities", "/dev/null"), ("authorities", "/dev/null"), ("secrets.sessionKey", "/dev/null"),
        ])
    func settings(key: String, value: String) async throws {
        let problem = await #expect(throws: ConfigurationProblem.self) {
            try await PortalStage.run(settings: [key: value]) { _ in }
        }
        #expect(problem != nil)
    }
}
