import HTTPTypes
import Loop
import OutsideCalls
import Serving
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct KeptCallsTests {
    /// What a server that waits has seen.
    private final class Visitors: Sendable {
        private let arrived = Mutex(0)
        private let gate = Gate()

        /// Returns once so many requests are here.
        func wait(for count: Int) async {
            let isComplete = arrived.withLock { arrived in
                arrived += 1
                return arrived == count
            }
            if isComplete { gate.open() }
            await gate.pass()
        }

        func open() { gate.open() }
    }

    /// A thousand bytes of "a", as gzip has them.
    private static let compressed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 76, 28, 5, 163, 96, 20, 12, 119, 0, 0, 3, 218, 56, 154, 232, 3, 0, 0,
    ]

    /// Calls of a server, which answers with the port that it was called from; at `/fifty` once fifty requests have come, at `/never`
    /// once the visitors' gate is open.
    private func withCalls(
        _ visitors: Visitors = Visitors(), isEncrypted: Bool = true, _ body: (KeptCalls, String) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let security: Listener.Security = isEncrypted ? .publicTLS(try certificates.files(role: nil)) : .plain
        let listener = Listener(name: "public", host: "127.0.0.1", port: 0, security: security) { routes in
            routes.on(.get, "/port") { Response(status: .ok, text: "\($0.remoteAddress?.port ?? 0)") }
            routes.on(.get, "/fifty") { exchange in
                await visitors.wait(for: 50)
                return Response(status: .ok, text: "\(exchange.remoteAddress?.port ?? 0)")
            }
            routes.on(.get, "/never") { _ in
                await visitors.wait(for: -1)
                return Response(status: .ok, text: "")
            }
            routes.on(.post, "/body") { Response(status: .created, body: try await $0.body(upTo: 1 << 20)) }
            routes.on(.get, "/gzip") { exchange in
                guard exchange.request.headers[.acceptEncoding] == "gzip" else {
                    return Response(status: .notAcceptable, text: "")
                }
                return Response(status: .ok, headers: [.contentEncoding: "gzip"], body: Self.compressed)
            }
        }
        try await withService(listeners: [listener]) { _ in
            let calls = try KeptCalls(authorities: "\(certificates.directory)/authority.pem")
            do {
                let base = "\(isEncrypted ? "https" : "http")://localhost:\(try await listener.boundPort)"
                try await body(calls, base)
            } catch {
                visitors.open()
                await calls.close()
                throw error
            }
            visitors.open()
            await calls.close()
        }
    }

    private func text(_ calls: KeptCalls, _ url: String, limit: Int = 2000) async throws -> String {
        let answer = try await calls.send(OutsideRequest(url), within: .seconds(60), limit: limit)
        #expect(answer.status == .ok)
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test("fifty requests at once share one connection of HTTP/2, and so do later ones")
    func sharedConnection() async throws {
        try await withCalls { calls, base in
            let ports = try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { try await text(calls, "\(base)/fifty") } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ports.count == 1)
            #expect(try await ports == [text(calls, "\(base)/port")])
        }
    }

    @Test("a server of HTTP/1.1 gets one request after the other on a connection")
    func http1() async throws {
        try await withCalls(isEncrypted: false) { calls, base in
            let first = try await text(calls, "\(base)/port")
            #expect(try await text(calls, "\(base)/port") == first)
        }
    }

    @Test("a body arrives whole, and so does its answer, empty or not")
    func bodies() async throws {
        try await withCalls { calls, base in
            for body in [[], Array("body".utf8), [UInt8](repeating: 0, count: 200_000)] {
                let request = OutsideRequest("\(base)/body", fields: [.contentType: "text/plain"], body: body)
                let answer = try await calls.send(request, within: .seconds(60), limit: 200_000)
                #expect(answer.status == .created)
                #expect(answer.body == body)
            }
        }
    }

    @Test("gzip is decompressed up to the limit")
    func gzip() async throws {
        try await withCalls { calls, base in
            var request = OutsideRequest("\(base)/gzip")
            request.takesGzip = true
            let answer = try await calls.send(request, within: .seconds(60), limit: 1000)
            #expect(answer.body == [UInt8](repeating: UInt8(ascii: "a"), count: 1000))
            await #expect(throws: OutsideProblem.tooLarge) {
                try await calls.send(request, within: .seconds(60), limit: 999)
            }
            request.takesGzip = false
            #expect(try await calls.send(request, within: .seconds(60), limit: 1000).status == .notAcceptable)
        }
    }

    @Test("an answer that doesn't come in time is given up, and the connection stays")
    func late() async throws {
        try await withCalls { calls, base in
            let port = try await text(calls, "\(base)/port")
            await #expect(throws: OutsideProblem.timedOut) {
                try await calls.send(OutsideRequest("\(base)/never"), within: .milliseconds(50), limit: 0)
            }
            #expect(try await text(calls, "\(base)/port") == port)
        }
    }

    @Test("a cancelled task gets an error at once")
    func cancelled() async throws {
        try await withCalls { calls, base in
            let task = Task { try await text(calls, "\(base)/never") }
            task.cancel()
            await #expect(throws: OutsideProblem.cancelled) { try await task.value }
        }
    }

    @Test("what is under way when it is closed fails, and what comes later is refused")
    func closed() async throws {
        let visitors = Visitors()
        try await withCalls(visitors) { calls, base in
            let task = Task { try await text(calls, "\(base)/never") }
            await calls.close()
            await #expect(throws: OutsideProblem.cancelled) { try await task.value }
            await #expect(throws: OutsideProblem.cancelled) { try await text(calls, "\(base)/port") }
            await calls.close()
        }
    }

    @Test("a server of another authority isn't called")
    func otherAuthority() async throws {
        let others = try TestCertificates()
        try await withCalls { _, base in
            let calls = try KeptCalls(authorities: "\(others.directory)/authority.pem")
            await #expect(throws: OutsideProblem.tls) { try await text(calls, "\(base)/port") }
            await calls.close()
            #expect(throws: (any Error).self) { try KeptCalls(authorities: "/dev/null") }
        }
    }
}
