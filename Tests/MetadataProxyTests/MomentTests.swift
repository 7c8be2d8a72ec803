import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TestSupport
import Testing

/// When answers leave. `Tests/Live/timing.sh` measures how precisely they do, and that the timing reveals nothing.
@Suite(.timeLimit(.minutes(5)))
struct MomentTests {
    private static let body = #"{"registrationToken":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"}"#

    private static let overruns = #"answer_overruns_total{route="/version/v1/tan"}"#

    private static func send(
        _ path: String = "/version/v1/tan", to stage: ProxyStage, http2: Bool
    ) async throws -> (status: HTTPResponse.Status, time: Duration) {
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
        "an answer that isn't known at its moment leaves at a later multiple, and is counted", arguments: [false, true])
    func multiple(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "2000"]) { stage in
            stage.beforeAnswer.withLock { $0 = { await stage.waits(for: Self.overruns + " 1") } }
            let answer = try await Self.send(to: stage, http2: http2)
            #expect(answer.status == .created)
            #expect(answer.time >= .seconds(4))
        }
    }

    @Test("after eight multiples it is a 503, and the service is unavailable", arguments: [false, true])
    func last(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "20"]) { stage in
            // Too late for this request in any case.
            stage.beforeAnswer.withLock { $0 = { await stage.waits(for: Self.overruns + " 9") } }
            let first = try await Self.send(to: stage, http2: http2)
            #expect(first.status == .serviceUnavailable)
            #expect(first.time >= .milliseconds(160))
            // The first request still occupies its connection to the service; the second one opens another.
            stage.beforeAnswer.withLock { $0 = {} }
            let second = try await Self.send(to: stage, http2: http2)
            #expect([.created, .serviceUnavailable].contains(second.status))
        }
    }

    @Test("the 503 for a service that is down leaves at the moment as well", arguments: [false, true])
    func down(http2: Bool) async throws {
        try await ProxyStage.run(upstreamPort: TestPort.free(), settings: ["answers.deadline": "300"]) { stage in
            let answer = try await Self.send(to: stage, http2: http2)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.time >= .milliseconds(300))
        }
    }

    @Test("a refusal that depends on no secret leaves at once", arguments: [false, true])
    func atOnce(http2: Bool) async throws {
        try await ProxyStage.run(settings: ["answers.deadline": "10000"]) { stage in
            let answer = try await Self.send("/version/v1/other", to: stage, http2: http2)
            #expect(answer.status == .notFound)
            #expect(answer.time < .milliseconds(9_000))
        }
    }
}
