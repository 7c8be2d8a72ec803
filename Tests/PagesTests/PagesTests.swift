import HTTPContract
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing

@testable import Pages

@Suite(.timeLimit(.minutes(5))) struct PagesTests {
    /// A few pages beside the operation ``TestAPI/greet``.
    private func listener(limits: Limits? = nil, origins: Origins? = nil) -> Listener {
        Listener.plain(limits: limits) { routes in
            routes.on(TestAPI.greet) { request, _ in Welcome(text: request.name) }
            var router = PageRouter()
            router.get("/") { _, _ in Response.page(tag(.p) { "start" }) }
            router.get("/codes/{kind}") { request, _ in Response.page(tag(.p) { "\(request.path.dropFirst(7))" }) }
            router.post("/codes") { request, _ in
                guard let kind = try request.form()["kind"] else { throw Problem.badRequest }
                return Response.seeOther(
                    try Location(path: "/codes/current"), cookies: [try HostCookie("session", kind)])
            }
            router.get("/callback") { request, _ in
                let (state, session) = (try request.queryValues()["state"], try request.cookie("session"))
                return Response.page(tag(.p) { "\(state ?? "-") \(session ?? "-")" })
            }
            router.get("/slow") { _, _ in
                try await Task.sleep(for: .seconds(60))
                return Response.page(.empty)
            }
            router.get("/defect") { _, _ in throw Defect() }
            routes.pages(router, origins: origins, bodyLimit: 64) { error, request in
                Response.page(tag(.p) { "refused" }, status: error.problem.status)
            }
        }
    }

    private struct Defect: Error {}

    private func with(
        limits: Limits? = nil, origins: Origins? = nil,
        _ body: (_ url: String, _ runtime: ServiceRuntime) async throws -> Void
    ) async throws {
        let listener = listener(limits: limits, origins: origins)
        try await withService(listeners: [listener]) { runtime in
            try await body("http://127.0.0.1:\(try await listener.boundPort)", runtime)
        }
    }

    @Test("pages are served beside operations, with the headers that keep them apart from other sites")
    func page() async throws {
        try await with { url, _ in
            let answer = try await send(.GET, url + "/codes/test")
            #expect(answer.status == 200)
            #expect(answer.body == "<p>test</p>")
            #expect(answer.fields["content-type"] == ["text/html; charset=utf-8"])
            #expect(answer.fields["cache-control"] == ["no-store"])
            #expect(answer.fields["x-content-type-options"] == ["nosniff"])
            #expect(answer.fields["referrer-policy"] == ["same-origin"])
            #expect(answer.fields["content-security-policy"].first?.hasPrefix("default-src 'none'; ") == true)
            #expect(try await send(.GET, url + "/").body == "<p>start</p>")
            #expect(try await post(url + "/greet", #"{"name":"Ada"}"#).body == #"{"text":"Ada"}"#)
        }
    }

    @Test("a page counts under its route, never under the path that was sent")
    func metrics() async throws {
        let listener = listener()
        let metrics = try await withService(listeners: [listener]) { runtime in
            let url = "http://127.0.0.1:\(try await listener.boundPort)"
            _ = try await send(.GET, url + "/codes/5ecre7")
            _ = try await send(.GET, url + "/nowhere/5ecre7")
            return runtime.metrics
        }
        // Requests are counted after they are answered, but before the service ends.
        let text = metrics.text
        #expect(text.contains(#"http_requests_total{listener="app",route="/codes/{kind}",status="200"} 1"#))
        #expect(text.contains(#"http_requests_total{listener="app",route="other",status="404"} 1"#))
        #expect(!text.contains("5ecre7"))
    }

    @Test(
        "only a path that was mounted reaches a page",
        arguments: [
            "/nowhere", "//codes/test", "/codes/test/", "/codes//test", "/%63odes/test", "/codes/", "/./callback",
        ])
    func otherPaths(path: String) async throws {
        try await with { url, _ in
            let answer = try await send(.GET, url + path)
            #expect(answer.status == 404)
            #expect(answer.body == "<p>refused</p>")
        }
    }

    @Test("a form leads to another page and sets a cookie for this host alone")
    func form() async throws {
        try await with { url, _ in
            let answer = try await submit(url + "/codes", "kind=event")
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == ["/codes/current"])
            #expect(answer.fields["set-cookie"] == ["__Host-session=event; Path=/; Secure; HttpOnly; SameSite=Lax"])
        }
    }

    @Test(
        "a form that is too long, of another type or ambiguous is refused",
        arguments: [
            ("kind=" + String(repeating: "x", count: 60), "application/x-www-form-urlencoded", 413),
            ("kind=event", "text/plain", 415), ("kind=event", "application/json", 415),
            ("kind=event&kind=test", "application/x-www-form-urlencoded", 400),
            ("kind=event&%6Bind=test", "application/x-www-form-urlencoded", 400),
            ("kind=%0d%0aSet-Cookie:a=b", "application/x-www-form-urlencoded", 400),
            ("kind=a;b", "application/x-www-form-urlencoded", 400),
            ("kind=%ff", "application/x-www-form-urlencoded", 400),
            ("other=event", "application/x-www-form-urlencoded", 400), ("", "application/x-www-form-urlencoded", 400),
        ])
    func hostileForms(body: String, type: String, status: Int) async throws {
        try await with { url, _ in
            let answer = try await submit(url + "/codes", body, type: type)
            #expect(answer.status == status)
            #expect(answer.fields["set-cookie"].isEmpty)
        }
    }

    @Test("a GET may have no body, and another method than the page's is refused")
    func methods() async throws {
        try await with { url, _ in
            let withBody = try await send(.GET, url + "/codes/test", body: "x")
            #expect(withBody.status == 413)
            let deletion = try await send(.DELETE, url + "/codes/test")
            #expect(deletion.status == 405)
        }
    }

    @Test(
        "query and cookies are read once or not at all",
        arguments: [
            ("?state=a", "__Host-session=b", "<p>a b</p>"), ("", "other=1; __Host-session=b", "<p>- b</p>"),
            ("?state=a&state=b", "", nil), ("?state=%ff", "", nil), ("?state=%00", "", nil), ("?=a", "", nil),
            ("?state=a", "__Host-session=b; __Host-session=c", nil), ("?state=a", "__Host-session=b c", nil),
            ("?state=a", "session=b", "<p>a -</p>"), ("?state=a", "__Host-session=\"b\"", nil),
        ] as [(String, String, String?)])
    func callback(query: String, cookie: String, page: String?) async throws {
        try await with { url, _ in
            let answer = try await send(.GET, url + "/callback" + query, headers: [("cookie", cookie)])
            #expect(answer.status == (page == nil ? 400 : 200))
            #expect(answer.body == page ?? "<p>refused</p>")
        }
    }

    /// What a page of another site, or a browser that was led to another name of this host, can bring about.
    @Test(
        "a form is taken from a page of the host that it names, and a request for a host of ours only",
        arguments: [
            (.POST, ["host": "portal.example", "sec-fetch-site": "same-origin"], 303),
            (.POST, ["host": "Portal.Example", "origin": "https://portal.example"], 303),
            (.POST, ["host": "other.example:8443", "origin": "https://other.example:8443"], 303),
            // Browsers say `none` for an address that somebody typed, which no form is.
            (.POST, ["host": "portal.example", "sec-fetch-site": "none"], 403),
            (.POST, ["host": "portal.example", "sec-fetch-site": "same-site"], 403),
            (.POST, ["host": "portal.example", "sec-fetch-site": "cross-site"], 403),
            (
                .POST, ["host": "portal.example", "sec-fetch-site": "cross-site", "origin": "https://portal.example"],
                403
            ),
            (.POST, ["host": "portal.example", "origin": "https://evil.example"], 403),
            (.POST, ["host": "portal.example", "origin": "https://other.example:8443"], 403),
            (.POST, ["host": "portal.example", "origin": "null"], 403), (.POST, ["host": "portal.example"], 403),
            (.POST, ["host": "evil.example", "origin": "https://evil.example"], 400),
            (
                .POST, ["host": "evil.example", "x-forwarded-host": "portal.example", "sec-fetch-site": "same-origin"],
                400
            ),
            (.GET, ["host": "portal.example", "sec-fetch-site": "cross-site"], 200),
            (.GET, ["host": "evil.example"], 400),
        ] as [(HTTPMethod, [String: String], Int)])
    func otherSites(method: HTTPMethod, fields: [String: String], status: Int) async throws {
        let origins = Origins([try Origin("https://portal.example"), try Origin("https://other.example:8443")])
        try await with(origins: origins) { url, _ in
            let answer =
                method == .POST
                ? try await submit(url + "/codes", "kind=test", headers: fields.map { ($0, $1) })
                : try await send(.GET, url + "/", headers: fields.map { ($0, $1) })
            #expect(answer.status == status)
            #expect(answer.fields["set-cookie"].isEmpty == (status != 303))
            #expect((answer.body == "<p>refused</p>") == (status >= 400))
        }
    }

    @Test(
        "origins are read from the configuration, or refused there", arguments: ["", "http://a", "https://a/b", "a"])
    func badOrigins(text: String) {
        #expect(throws: ConfigurationProblem.self) { try Origins(Settings(["origins": text])) }
    }

    @Test("a defect of a page is in the service's log, by its type and route alone")
    func defect() async throws {
        let (log, listener) = (CapturedLog(), listener())
        try await withService(listeners: [listener], logger: log.logger()) { _ in
            let url = "http://127.0.0.1:\(try await listener.boundPort)/defect?name=5ecre7"
            #expect(try await send(.GET, url).status == 500)
        }
        #expect(log.lines.contains { $0.contains("a handler failed") && $0.contains("Defect") })
        #expect(!log.lines.contains { $0.contains("5ecre7") })
    }

    @Test("a page that takes too long is answered with 503, as operations are")
    func deadline() async throws {
        var limits = Limits.inner
        limits.handler = .milliseconds(100)
        try await with(limits: limits) { url, _ in
            let answer = try await send(.GET, url + "/slow")
            #expect(answer.status == 503)
        }
    }

    private func submit(
        _ url: String, _ body: String, type: String = "application/x-www-form-urlencoded",
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(.POST, url, headers: headers + [("content-type", type)], body: body)
    }
}
