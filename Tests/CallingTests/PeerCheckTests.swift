import HTTPContract
import HTTPTypes
import Serving
import TestSupport
import Testing

@testable import Calling

@Suite(.timeLimit(.minutes(5))) struct PeerCheckTests {
    /// Looks at a listener's operations `greet` and `ping`, and returns the warnings and the log.
    private func look(at listener: Listener) async throws -> (warnings: [String], lines: [String]) {
        let log = CapturedLog()
        return try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "http://127.0.0.1:\(try await listener.boundPort)", tls: nil, name: "greeter",
                deadline: .seconds(30))
            let check = PeerCheck(
                client, at: "greeter.url", needing: [TestAPI.greet.route, TestAPI.ping.route], logger: log.logger())
            await check.look()
            await client.close()
            return (check.warnings, log.lines)
        }
    }

    @Test("a server of ours that has the operations passes, and none of them is carried out")
    func ours() async throws {
        let listener = Listener.plain { routes in
            routes.on(TestAPI.greet) { _, _ in
                Issue.record("the operation was carried out")
                return Welcome(text: "")
            }
            routes.on(TestAPI.ping) { _, _ in
                Issue.record("the operation was carried out")
                return NoContent()
            }
        }
        let (warnings, lines) = try await look(at: listener)
        #expect(warnings == [])
        #expect(lines == [])
    }

    @Test("a server without an operation is named, in the log and for the operator")
    func without() async throws {
        let (warnings, lines) = try await look(at: .plain { $0.on(TestAPI.greet) { _, _ in Welcome(text: "") } })
        #expect(
            warnings == [
                "The server at greeter.url has no GET /ping (it answered 404): it isn't Vigil's greeter, which this service needs."
            ])
        #expect(lines.count == 1)
        for part in ["a peer lacks an operation that this service needs", "greeter.url", #""/ping""#, #""404""#] {
            #expect(lines.first?.contains(part) == true, "\(part)")
        }
    }

    @Test("a server that refuses whatever it doesn't know, as Spring's security does, is named")
    func forbidding() async throws {
        let listener = Listener.plain { routes in
            for path in ["/greet", "/ping"] {
                for method in [HTTPRequest.Method.get, .delete] {
                    routes.on(method, path) { _ in Response(status: .forbidden, headers: [:], text: "") }
                }
            }
        }
        let (warnings, lines) = try await look(at: listener)
        #expect(warnings.count == 2)
        #expect(warnings.allSatisfy { $0.contains("it answered 403") })
        #expect(lines.count == 2)
    }

    @Test("a server that starts later is asked again until it answers")
    func later() async throws {
        let log = CapturedLog()
        let port = TestPort.free()
        let client = try ServiceClient(
            base: "http://127.0.0.1:\(port)", tls: nil, name: "greeter", deadline: .milliseconds(200))
        let check = PeerCheck(
            client, at: "greeter.url", needing: [TestAPI.greet.route], logger: log.logger(), pause: .milliseconds(1))
        let looked = Task { await check.look() }
        // One attempt fails before there is a server.
        await #expect(throws: CallError.unavailable) { try await client.call(TestAPI.greet, Greeting(name: "Ada")) }
        let listener = Listener(name: "app", host: "127.0.0.1", port: port, security: .plain) { routes in
            routes.on(TestAPI.ping) { _, _ in NoContent() }
        }
        try await withService(listeners: [listener]) { _ in
            _ = try await listener.boundPort
            await looked.value
        }
        #expect(check.warnings.count == 1)
        await client.close()
    }
}
