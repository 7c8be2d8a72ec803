import HTTPContract
import HTTPMessage
import HTTPTypes
import Serving
import TLS
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PublicTLSTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
    }

    private func client() throws -> ClientTLS {
        try ClientTLS(trusting: #require(certificates.files(role: nil).authorities))
    }

    @Test("both versions of HTTP are spoken, without a client certificate", arguments: [false, true])
    func versions(http2: Bool) async throws {
        let listener = Listener.greeting(.publicTLS(try certificates.files(role: nil)))
        let client = try client()
        try await withService(listeners: [listener]) { _ in
            let url = "https://localhost:\(try await listener.boundPort)"
            let answer = try await post(url + "/greet", #"{"name":"Ada"}"#, tls: client, http2: http2)
            #expect(answer.version == (http2 ? .http2 : .http1_1))
            #expect(answer.status == 200)
            #expect(answer.body == #"{"text":"Ada - "}"#)
            #expect(try await post(url + "/nowhere", "{}", tls: client, http2: http2).status == 404)
            #expect(
                try await post(url + "/greet", String(repeating: "x", count: 65), tls: client, http2: http2).status
                    == 413)
        }
    }

    @Test("TLS 1.2 is accepted, because old phones speak it")
    func oldPhones() async throws {
        let listener = Listener.greeting(.publicTLS(try certificates.files(role: nil)))
        var client = try client()
        client.maximumVersion = .tlsv12
        try await withService(listeners: [listener]) { [client] _ in
            let url = "https://localhost:\(try await listener.boundPort)"
            #expect(try await post(url + "/greet", #"{"name":"Ada"}"#, tls: client).status == 200)
        }
    }

    @Test("with TLS 1.2 there is one suite for a kind of key, so nobody can be talked down to another")
    func oneSuite() async throws {
        let listener = Listener.greeting(.publicTLS(try certificates.files(role: nil)))
        var client = try client()
        client.maximumVersion = .tlsv12
        client.suites = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA"
        try await withService(listeners: [listener]) { [client] _ in
            let url = "https://localhost:\(try await listener.boundPort)"
            await #expect(throws: (any Error).self) {
                try await post(url + "/greet", #"{"name":"Ada"}"#, tls: client)
            }
        }
    }

    @Test("TLS 1.1 is refused")
    func tooOld() async throws {
        let listener = Listener.greeting(.publicTLS(try certificates.files(role: nil)))
        var client = try client()
        client.minimumVersion = .tlsv1
        // OpenSSL's own level would refuse it before the server could.
        client.suites = "ALL:@SECLEVEL=0"
        client.maximumVersion = .tlsv11
        try await withService(listeners: [listener]) { [client] _ in
            let url = "https://localhost:\(try await listener.boundPort)"
            await #expect(throws: (any Error).self) {
                try await post(url + "/greet", #"{"name":"Ada"}"#, tls: client)
            }
        }
    }

    @Test("a handler that takes too long over HTTP/2 is answered with 503")
    func slowStream() async throws {
        var limits = Limits.outer
        limits.handler = .milliseconds(100)
        let listener = Listener(
            name: "app", host: "127.0.0.1", port: 0, security: .publicTLS(try certificates.files(role: nil)),
            limits: limits
        ) { routes in
            routes.on(TestAPI.greet) { _, _ in
                try await Task.sleep(for: .seconds(60))
                return Welcome(text: "never")
            }
        }
        let client = try client()
        try await withService(listeners: [listener]) { _ in
            let url = "https://localhost:\(try await listener.boundPort)"
            let answer = try await post(url + "/greet", #"{"name":"Ada"}"#, tls: client, http2: true)
            #expect(answer.version == .http2)
            #expect(answer.status == 503)
        }
    }

    @Test("a connection whose handshake doesn't end is closed")
    func slowHandshake() async throws {
        var limits = Limits.outer
        limits.handshake = .milliseconds(100)
        let listener = Listener.greeting(.publicTLS(try certificates.files(role: nil)), limits: limits)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try? await connection.write("\u{16}")
                return await connection.readToEnd()
            }
            #expect(answer.isEmpty)
        }
    }
}
