import HTTPContract
import HTTPTypes
import Logging
import Running
import Serving
import TLS
import TestSupport
import Testing

/// A value is planted wherever a caller can put one, and the calls fail in every way: it must not come out anywhere.
@Suite(.timeLimit(.minutes(5))) struct PlantedSecretTests {
    private static let secret = "5ecre7-7e1e7an"

    private struct Telling: Error, CustomStringConvertible {
        let description: String
    }

    @Test("nothing that a caller sends reaches the log, a metric or an answer, at any level")
    func secretsStay() async throws {
        let log = CapturedLog()
        let secret = Self.secret
        var limits = Limits.inner
        limits.handler = .milliseconds(200)
        limits.body = .milliseconds(200)
        let listener = Listener.plain(limits: limits) { routes in
            routes.on(TestAPI.greet) { request, _ in throw Telling(description: "no such TAN: \(request.name)") }
            routes.on(endpoint("/slow")) { request, _ in
                try await Task.sleep(for: .seconds(60))
                throw Telling(description: request.name)
            }
            routes.on(endpoint("/problem")) { _, _ in throw Problem.badRequest }
        }
        let certificates = try TestCertificates()
        let secured = Listener(
            name: "secured", host: "127.0.0.1", port: 0,
            security: .mutualTLS(try certificates.files(role: .verificationServer))
        ) { routes in
            routes.on(TestAPI.greet) { _, _ in throw Telling(description: secret) }
        }
        try await withService(listeners: [listener, secured], logger: log.logger(.trace)) { runtime in
            let port = try await listener.boundPort
            let url = "http://127.0.0.1:\(port)"
            let body = #"{"name":"\#(secret)"}"#
            var answers: [String] = []
            for path in [
                "/greet", "/slow", "/problem", "/\(secret)", "/greet?token=\(secret)", "/greet/\(secret)",
            ] {
                let answer = try await send(
                    .POST, url + path,
                    headers: [
                        ("content-type", "application/json"), ("user-agent", secret), ("authorization", secret),
                        ("x-forwarded-for", secret), ("cookie", secret),
                    ], body: body)
                answers.append("\(answer.status) \(answer.fields) \(answer.body)")
            }
            answers.append("\(try await send(.PUT, url + "/greet", headers: [("content-type", secret)], body: secret))")
            answers.append("\(try await post(url + "/greet", "{\(secret)"))")
            for raw in [
                "\(secret) nonsense\r\n\r\n", "GET /\(secret) HTTP/9.9\r\n\(secret)\r\n\r\n",
                "POST /greet HTTP/1.1\r\n\(secret): \(secret)\r\nContent-Length: x\(secret)\r\n\r\n\(secret)",
                "POST /greet HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n\(secret)",
                "POST /greet HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\(secret)\r\n",
            ] {
                answers.append(
                    try await RawConnection.open(port: port) { connection in
                        try await connection.write(raw)
                        return await connection.readToEnd()
                    })
            }
            _ = try? await post("https://\(secret).localhost:\(try await secured.boundPort)/greet", body)
            let client = try certificates.files(role: .lab, name: secret).caller
            let answer = try await post(
                "https://localhost:\(try await secured.boundPort)/greet", body, tls: client)
            answers.append("\(answer)")
            #expect(answer.status == 500)
            for answer in answers { #expect(!answer.contains(secret)) }
            #expect(!runtime.metrics.text.contains(secret))
        }
        #expect(log.lines.contains { $0.contains(#""reason":"Telling""#) })
        for line in log.lines {
            #expect(!line.contains(secret))
            #expect(!line.contains("127.0.0.1"))
        }
    }

    private func endpoint(_ path: String) -> Endpoint<Greeting, Welcome> {
        Endpoint(.post, path, callers: [], bodyLimit: 64, summary: "For a test.")
    }
}
