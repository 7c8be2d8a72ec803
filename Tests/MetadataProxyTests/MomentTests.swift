import Foundation
import HTTPContract
import HummingbirdCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// When answers leave. How exactly they do, and that nothing shows in it, is measured by Tests/Live/timing.sh.
@Suite(.timeLimit(.minutes(5)))
struct MomentTests {
    private static let body = #"{"registrationToken":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"}"#

    private static func send(
        _ path: String = "/version/v1/tan", to stage: ProxyStage, http2: Bool
    ) async throws -> (status: HTTPResponseStatus, time: Duration) {
        let start = ContinuousClock.now
        let answer = try await stage.send(path, body: body, http2: http2)
        return (answer.status, ContinuousClock.now - start)
    }

    @Test("no answer leaves before its moment", arguments: [false, true])
    func notBefore(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "1500"]) { stage in
            let answer = try await Self.send(to: stage, http2: http2)
            #expect(answer.status == .created)
            #expect(answer.time >= .milliseconds(1500))
        }
    }

    @Test(
        "an answer that isn't there at its moment leaves at a later multiple, and is counted", arguments: [false, true])
    func multiple(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "2000"]) { stage in
            stage.beforeAnswer.withLock { $0 = { await stage.waits(for: "answer_overruns_total 1") } }
            let answer = try await Self.send(to: stage, http2: http2)
            #expect(answer.status == .created)
            #expect(answer.time >= .seconds(4))
        }
    }

    @Test("after eight multiples it is a 503, and the service is unavailable", arguments: [false, true])
    func last(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "20"]) { stage in
            // Never, as far as this request is concerned.
            stage.beforeAnswer.withLock { $0 = { await stage.waits(for: "answer_overruns_total 9") } }
            let first = try await Self.send(to: stage, http2: http2)
            #expect(first.status == .serviceUnavailable)
            #expect(first.time >= .milliseconds(160))
            // The connection to the service is still the first request's; the next one takes another.
            stage.beforeAnswer.withLock { $0 = {} }
            let second = try await Self.send(to: stage, http2: http2)
            #expect([.created, .serviceUnavailable].contains(second.status))
        }
    }

    @Test("a service that is down is answered for at the moment, too", arguments: [false, true])
    func down(http2: Bool) async throws {
        try await ProxyStage.run(upstreamPort: TestPort.free(), settings: ["answers.deadline": "300"]) { stage in
            let answer = try await Self.send(to: stage, http2: http2)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.time >= .milliseconds(300))
        }
    }

    @Test("what depends on no secret is refused at once", arguments: [false, true])
    func atOnce(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "10000"]) { stage in
            let answer = try await Self.send("/version/v1/other", to: stage, http2: http2)
            #expect(answer.status == .notFound)
            #expect(answer.time < .milliseconds(9_000))
        }
    }
}
