import Calling
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Loop
import Serving
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServiceClientTests {
    @Test("an app calls a public listener without a certificate of its own")
    func publicTLS() async throws {
        let certificates = try TestCertificates()
        let listener = Listener.greeting(.publicTLS(try certificates.files(role: nil)))
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "https://localhost:\(try await listener.boundPort)",
                authorities: certificates.directory + "/authority.pem", name: "greeter")
            #expect(try await client.call(TestAPI.greet, Greeting(name: "Ada")) == Welcome(text: "Ada - "))
            await client.close()
        }
    }

    @Test("a client that was never run or closed goes away quietly: what failed instead is what is told")
    func abandoned() throws {
        for _ in 0..<3 {
            _ = try ServiceClient(base: "http://127.0.0.1:1", tls: nil, name: "greeter")
        }
    }

    /// Calls a listener once.
    private func call(
        _ listener: Listener, deadline: Duration = .seconds(30)
    ) async throws -> Result<Welcome, CallError> {
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "http://127.0.0.1:\(try await listener.boundPort)/", tls: nil, name: "greeter",
                deadline: deadline)
            let result: Result<Welcome, CallError>
            do throws(CallError) {
                result = .success(try await client.call(TestAPI.greet, Greeting(name: "Ada")))
            } catch {
                result = .failure(error)
            }
            await client.close()
            return result
        }
    }

    @Test("a call goes over TLS with the caller's role, and again over the same connection")
    func mutualTLS() async throws {
        let certificates = try TestCertificates()
        let listener = Listener.greeting(.mutualTLS(try certificates.files(role: .verificationServer)))
        let files = try certificates.files(role: .portal)
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "https://localhost:\(try await listener.boundPort)", tls: files, name: "greeter")
            for name in ["Ada", "Bob"] {
                let welcome = try await client.call(TestAPI.greet, Greeting(name: name))
                #expect(welcome == Welcome(text: "\(name) portal portal"))
            }
            await #expect(throws: CallError.refused(.forbidden)) {
                try await client.call(TestAPI.ping, NoContent())
            }
            await client.close()
            await client.close()
        }
    }

    @Test(
        "an answer is judged by its status",
        arguments: [
            (HTTPResponse.Status.badRequest, CallError.refused(.badRequest)),
            (.tooManyRequests, .refused(.tooManyRequests)), (.internalServerError, .unavailable),
            (.serviceUnavailable, .unavailable), (.found, .malformedAnswer), (.created, .malformedAnswer),
        ])
    func statuses(status: HTTPResponse.Status, error: CallError) async throws {
        let listener = Listener.plain { routes in
            routes.on(.post, "/greet") { _ in
                Response(status: status, headers: [.contentType: "application/json", .location: "/elsewhere"])
            }
        }
        #expect(try await call(listener) == .failure(error))
    }

    @Test(
        "an answer that breaks the contract is malformed",
        arguments: [
            ("application/json", "{"), ("text/plain", #"{"text":"a"}"#), ("application/json", ""),
            ("application/json", #"{"text":"\#(String(repeating: "a", count: 1 << 20))"}"#),
        ])
    func malformed(type: String, body: String) async throws {
        let listener = Listener.plain { routes in
            routes.on(.post, "/greet") { _ in
                Response(status: .ok, headers: [.contentType: type], text: body)
            }
        }
        #expect(try await call(listener) == .failure(.malformedAnswer))
    }

    @Test("a connection that is closed instead of an answer costs nothing, but two in a row are unavailable")
    func wentAway() async throws {
        // How many requests each of its connections answers before it is closed.
        let answers = [1, 2, 0]
        let cores = Cores(count: 1)
        let server = try ScriptedServer(on: cores.all) { request, _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
            return request.number <= answers[request.connection] ? .say(head + #"{"text":"here"}"#) : .close
        }
        let client = try ServiceClient(base: "http://127.0.0.1:\(server.port)", tls: nil, name: "greeter")
        for _ in 0..<3 {
            #expect(try await client.call(TestAPI.greet, Greeting(name: "Ada")) == Welcome(text: "here"))
        }
        await #expect(throws: CallError.unavailable) { try await client.call(TestAPI.greet, Greeting(name: "Ada")) }
        await client.close()
        await server.stop()
    }

    @Test("no answer in time is unavailable")
    func deadline() async throws {
        let gate = Gate()
        let listener = Listener.plain { routes in
            routes.on(TestAPI.greet) { _, _ in
                await gate.pass()
                return Welcome(text: "late")
            }
        }
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "http://127.0.0.1:\(try await listener.boundPort)", tls: nil, name: "greeter",
                deadline: .milliseconds(100))
            await #expect(throws: CallError.unavailable) {
                try await client.call(TestAPI.greet, Greeting(name: "Ada"))
            }
            gate.open()
            await client.close()
        }
    }

    @Test("nobody there is unavailable")
    func nobody() async throws {
        // Below the ports that the system gives to others.
        let client = try ServiceClient(
            base: "http://127.0.0.1:\(TestPort.free())", tls: nil, name: "greeter", deadline: .milliseconds(200))
        await #expect(throws: CallError.unavailable) { try await client.call(TestAPI.greet, Greeting(name: "Ada")) }
        await client.close()
    }
}
