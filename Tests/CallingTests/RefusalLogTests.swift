import HTTPContract
import HTTPTypes
import Loop
import Serving
import TestSupport
import Testing

@testable import Calling

@Suite(.timeLimit(.minutes(5))) struct RefusalLogTests {
    @Test("a refusal is told with peer, route and status, once a minute for each status")
    func refused() {
        let log = CapturedLog()
        let refusals = RefusalLog(peer: "greeter", log.logger())
        let start = Moment.now()
        for seconds in [0, 1, 59] {
            for status in [HTTPResponse.Status.forbidden, .notFound] {
                refusals.record(.refused(status), of: TestAPI.greet, at: start + .seconds(seconds))
            }
        }
        #expect(log.lines.count == 2)
        for (line, status) in zip(log.lines, ["403", "404"]) {
            for part in ["a peer refuses calls", #""greeter""#, #""/greet""#, "\"\(status)\"", "warning"] {
                #expect(line.contains(part), "\(part)")
            }
        }
        refusals.record(.refused(.forbidden), of: TestAPI.greet, at: start + .seconds(60))
        #expect(log.lines.count == 3)
    }

    @Test("what the contract provides for isn't told, nor that a peer is away")
    func expected() {
        let log = CapturedLog()
        let refusals = RefusalLog(peer: "greeter", log.logger())
        refusals.record(.refused(.conflict), of: TestAPI.greet, at: .now())
        refusals.record(.unavailable, of: TestAPI.greet, at: .now())
        #expect(log.lines == [])
    }

    @Test("an answer that breaks the contract is told, as often as a refusal")
    func malformed() {
        let log = CapturedLog()
        let refusals = RefusalLog(peer: "greeter", log.logger())
        for _ in 0..<3 { refusals.record(.malformedAnswer, of: TestAPI.greet, at: .now()) }
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("a peer's answers break the contract") == true)
    }

    @Test("a party that isn't ours has reasons, each of which is told once a minute")
    func reasons() {
        let log = CapturedLog()
        let refusals = RefusalLog(peer: "devicecheck", log.logger())
        let start = Moment.now()
        for seconds in [0, 59] {
            for reason in ["authorization", "timestamp"] {
                refusals.refused(.badRequest, at: "/query", reason: reason, now: start + .seconds(seconds))
            }
            for reason in ["late", "certificate"] {
                refusals.unanswered(reason, at: "/query", now: start + .seconds(seconds))
            }
        }
        #expect(log.lines.count == 4)
        #expect(log.has(LoggedCause("a peer refuses calls", ["reason": "timestamp", "status": "400"])))
        #expect(log.has(LoggedCause("a peer doesn't answer", ["reason": "late", "route": "/query"])))
    }

    @Test("a client with a logger tells of a refused call")
    func client() async throws {
        let log = CapturedLog()
        let listener = Listener.plain { routes in
            routes.on(.post, "/greet") { _ in Response(status: .forbidden, headers: [:], text: "") }
        }
        try await withService(listeners: [listener]) { _ in
            let client = try ServiceClient(
                base: "http://127.0.0.1:\(try await listener.boundPort)", tls: nil, name: "greeter",
                deadline: .seconds(30), logger: log.logger())
            await #expect(throws: CallError.refused(.forbidden)) {
                try await client.call(TestAPI.greet, Greeting(name: "Ada"))
            }
            await client.close()
        }
        #expect(log.lines.count == 1)
    }
}
