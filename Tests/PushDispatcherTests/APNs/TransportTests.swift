import DevelopmentAPNs
import Foundation
import Running
import TestSupport
import Testing

@testable import PushDispatcher

/// Failures of connections and streams, against the simulated service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TransportTests {
    @Test("a window of a thousand is accepted, each push once, over one connection that starts with one stream")
    func window() async throws {
        try await APNsStage.run { stage in
            for _ in 1...3 {
                let outcomes = try await stage.send(0..<1000)
                #expect(outcomes == Array(repeating: .accepted, count: 1000))
            }
            let totals = stage.service.totals
            #expect(totals.accepted == 3000)
            #expect(totals.connections == 1)
            #expect(totals.refusedStreams == 0)
            #expect(totals.providerTokens == 1)
            #expect((0..<1000).allSatisfy { stage.service.accepted(id: APNsStage.id($0)) == 3 })
        }
    }

    @Test(
        "a provider token that is refused once for a thousand pushes costs one more connection", arguments: [1, 1000])
    func expiredOnce(firstStreams: Int) async throws {
        try await APNsStage.run(rules: { rules in
            rules.firstStreams = firstStreams
            rules.refusesInFlight = false
        }) { stage in
            // What a first connection carries before an answer: one push, or all of them.
            for number in 0..<firstStreams {
                stage.service.answer(
                    APNsStage.token(number), next: .reply(status: 403, reason: "ExpiredProviderToken"))
            }
            let outcomes = try await stage.send(0..<1000)
            #expect(outcomes == Array(repeating: .accepted, count: 1000))
            #expect(stage.service.totals.connections == 2)
            #expect(!stage.metrics.text.contains("apns_failed_connects_total 1"))
        }
    }

    /// The answers after which APNs wants another connection, how often they are tried, and what becomes of a thousand pushes.
    struct Dismissal: Sendable, CustomTestStringConvertible {
        let reason: String
        let status: Int
        let connections: Int
        let outcomes: [PushOutcome]

        var testDescription: String { reason }
    }

    static let dismissals = [
        Dismissal(
            reason: "ExpiredProviderToken", status: 403, connections: 3, outcomes: [.refused(.expiredProviderToken)]),
        Dismissal(
            reason: "TooManyProviderTokenUpdates", status: 429, connections: 6,
            outcomes: [.refused(.tooManyProviderTokenUpdates)]),
        Dismissal(
            reason: "UnrelatedKeyIdInToken", status: 403, connections: 2,
            outcomes: [.refused(.unrelatedKeyIdInToken)]),
        Dismissal(reason: "Shutdown", status: 503, connections: 6, outcomes: [.unreachable, .givenUp]),
    ]

    @Test(
        "an answer that ends every connection ends the window after as many as a push has attempts",
        arguments: dismissals, [1, 1000])
    func dismissed(_ dismissal: Dismissal, firstStreams: Int) async throws {
        try await APNsStage.run(rules: { rules in
            rules.firstStreams = firstStreams
            rules.refusesInFlight = false
        }) { stage in
            stage.service.fail(oneIn: 1, with: .reply(status: dismissal.status, reason: dismissal.reason))
            let outcomes = try await stage.send(0..<1000)
            #expect(outcomes.count == 1000 && outcomes.allSatisfy { dismissal.outcomes.contains($0) })
            #expect(stage.service.totals.connections <= dismissal.connections)
        }
    }

    @Test("outcomes are returned in the order of the pushes")
    func order() async throws {
        try await APNsStage.run { stage in
            let dead = Set([3, 77, 100, 199])
            for number in dead {
                stage.service.answer(
                    APNsStage.token(number),
                    always: .reply(status: 410, reason: "Unregistered", timestamp: RetryTableTests.moment))
            }
            let outcomes = try await stage.send(0..<200)
            let expected = (0..<200).map {
                dead.contains($0) ? .unregistered(RetryTableTests.moment) : PushOutcome.accepted
            }
            #expect(outcomes == expected)
        }
    }

    @Test("the stream limit is respected", arguments: [1, 2, 17, 500])
    func limits(streams: Int) async throws {
        try await APNsStage.run(rules: { rules in
            rules.streams = streams
            rules.delay = .milliseconds(1)
        }) { stage in
            let outcomes = try await stage.send(0..<200)
            #expect(outcomes == Array(repeating: .accepted, count: 200))
            #expect(stage.service.totals.mostStreams <= streams)
            #expect(stage.service.totals.refusedStreams == 0)
        }
    }

    @Test("a small flow-control window receives a push in pieces", arguments: [1, 16, 30, 31])
    func room(bytes: Int) async throws {
        try await APNsStage.run(rules: { $0.window = bytes }) { stage in
            let outcomes = try await stage.send(0..<100)
            #expect(outcomes == Array(repeating: .accepted, count: 100))
            #expect(stage.service.totals.requests == 100)
        }
    }

    @Test("pushes that are refused because of another's rejection are retried")
    func refusals() async throws {
        try await APNsStage.run(rules: { rules in
            rules.delay = .milliseconds(2)
        }) { stage in
            for number in stride(from: 10, to: 200, by: 20) {
                stage.service.answer(
                    APNsStage.token(number),
                    always: .reply(status: 410, reason: "Unregistered", timestamp: RetryTableTests.moment))
            }
            let outcomes = try await stage.send(0..<200)
            #expect(outcomes.count { $0 == .accepted } == 190)
            #expect(outcomes.count { $0 == .unregistered(RetryTableTests.moment) } == 10)
            #expect((0..<200).allSatisfy { stage.service.accepted(id: APNsStage.id($0)) <= 1 })
        }
    }

    @Test("suspect tokens have a connection of their own, and don't affect the others' streams")
    func quarantine() async throws {
        try await APNsStage.run(rules: { rules in
            rules.delay = .milliseconds(1)
        }) { stage in
            let suspect = Set(stride(from: 0, to: 200, by: 10))
            for number in suspect {
                stage.service.answer(
                    APNsStage.token(number),
                    always: .reply(status: 410, reason: "Unregistered", timestamp: RetryTableTests.moment))
            }
            let outcomes = try await stage.send(0..<200, suspect: suspect)
            #expect(outcomes.count { $0 == .accepted } == 180)
            #expect(stage.service.totals.connections == 2)
            #expect(stage.service.totals.refusedStreams == 0)
        }
    }

    static let faults: [SimulatedAnswer] = [
        .reset(code: 7), .reset(code: 5), .reset(code: 2), .reset(code: 8), .hangUp,
        .goAway(SimulatedGoAway(last: .previous)), .goAway(SimulatedGoAway(last: .this)),
        .goAway(SimulatedGoAway(last: .this, answersRest: false)),
        .goAway(SimulatedGoAway(last: .previous, answersRest: false, reason: "IdleTimeout")),
        .goAway(SimulatedGoAway(last: .number(0), reason: "Shutdown")),
    ]

    @Test("a push whose stream ends without a reply is retried until there is one", arguments: faults)
    func ends(_ end: SimulatedAnswer) async throws {
        try await APNsStage.run { stage in
            for number in [0, 50, 51, 120] { stage.service.answer(APNsStage.token(number), next: end) }
            let outcomes = try await stage.send(0..<200)
            #expect(outcomes == Array(repeating: .accepted, count: 200))
            #expect((0..<200).allSatisfy { stage.service.accepted(id: APNsStage.id($0)) >= 1 })
        }
    }

    @Test("a push that GOAWAY reports as unprocessed is sent exactly once more")
    func goAway() async throws {
        try await APNsStage.run { stage in
            stage.service.answer(APNsStage.token(80), next: .goAway(SimulatedGoAway(last: .previous)))
            let outcomes = try await stage.send(0..<200)
            #expect(outcomes == Array(repeating: .accepted, count: 200))
            #expect((0..<200).allSatisfy { stage.service.accepted(id: APNsStage.id($0)) == 1 })
            #expect(stage.service.totals.connections == 2)
        }
    }

    @Test("a push without a reply is sent once more over another connection, and then given up")
    func silence() async throws {
        try await APNsStage.run(timing: { timing in
            timing.reply = .seconds(2)
        }) { stage in
            stage.service.answer(APNsStage.token(5), next: .silence)
            stage.service.answer(APNsStage.token(6), always: .silence)
            let outcomes = try await stage.send(0..<10)
            #expect(outcomes == (0..<10).map { $0 == 6 ? .givenUp : .accepted })
            // One more for the repetitions, and perhaps one more because the second silence ended that one.
            #expect((2...3).contains(stage.service.totals.connections))
        }
    }

    @Test("pushes for an unreachable service are given up after a bounded number of attempts")
    func unreachable() async throws {
        try await APNsStage.run(serves: false) { stage in
            let outcomes = try await stage.send(0..<200)
            #expect(outcomes == Array(repeating: .unreachable, count: 200))
            #expect(stage.metrics.text.contains("apns_failed_connects_total 6"))
            // For a while there is no further attempt.
            let next = try await stage.send(200..<300)
            #expect(next == Array(repeating: .unreachable, count: 100))
            #expect(stage.metrics.text.contains("apns_failed_connects_total 6"))
        }
    }

    @Test("credentials that a GOAWAY refuses stop the window")
    func refusedByGoAway() async throws {
        try await APNsStage.run { stage in
            stage.service.answer(
                APNsStage.token(0), always: .goAway(SimulatedGoAway(last: .previous, reason: "BadCertificate")))
            let outcomes = try await stage.send([0])
            #expect(outcomes == [.refused(.badCertificate)])
        }
    }

    @Test("a cancelled call returns at once, and open pushes are given up")
    func cancelled() async throws {
        try await APNsStage.run { stage in
            stage.service.answer(APNsStage.token(1), always: .silence)
            let outcomes = try await withThrowingTaskGroup(of: [PushOutcome].self) { group in
                group.addTask { try await stage.send([0, 1]) }
                // The first was accepted, so the second has been sent.
                while stage.service.totals.requests < 2 { await Task.yield() }
                group.cancelAll()
                return try await group.next()
            }
            #expect(outcomes?.last == .givenUp)
            let next = try await stage.send([2])
            #expect(next == [.accepted])
        }
    }

    @Test("a reply to a push of a cancelled window doesn't affect the next window")
    func late() async throws {
        try await APNsStage.run(rules: { rules in
            rules.delay = .milliseconds(300)
        }) { stage in
            for number in 1...9 {
                stage.service.answer(
                    APNsStage.token(number), always: .reply(status: 400, reason: "BadDeviceToken"))
            }
            _ = try await withThrowingTaskGroup(of: [PushOutcome].self) { group in
                group.addTask { try await stage.send(0..<10) }
                while stage.service.totals.requests < 2 { await Task.yield() }
                group.cancelAll()
                return try await group.next()
            }
            let outcomes = try await stage.send(10..<20)
            #expect(outcomes == Array(repeating: .accepted, count: 10))
        }
    }

    @Test("neither metrics nor descriptions show a token, ours or a phone's")
    func secrets() async throws {
        try await APNsStage.run { stage in
            stage.service.answer(APNsStage.token(3), always: .reply(status: 400, reason: "BadDeviceToken"))
            let outcomes = try await stage.send(0..<5)
            let push = try APNsStage.push(3)
            let shown = stage.metrics.text + "\(push) \(outcomes)" + String(reflecting: push)
            #expect(shown.contains(#"apns_pushes_total{outcome="wrong_token"} 1"#))
            #expect(shown.contains(#"apns_rejections_total{reason="BadDeviceToken"} 1"#))
            #expect(!shown.contains("cafe0000") && !shown.contains("eyJ") && !shown.contains(APNsStage.keyID))
        }
    }

    @Test("a window after the client was closed is given up")
    func closed() async throws {
        try await APNsStage.run { stage in
            await stage.client.close()
            let outcomes = try await stage.send([1])
            #expect(outcomes == [.givenUp])
        }
    }

    @Test("with a client certificate no token is sent, and a connection starts with all its streams")
    func certificate() async throws {
        try await APNsStage.run(certificate: true) { stage in
            let outcomes = try await stage.send(0..<200)
            #expect(outcomes == Array(repeating: .accepted, count: 200))
            #expect(stage.service.totals.providerTokens == 0)
        }
    }

    @Test("production and sandbox have connections of their own")
    func environments() async throws {
        try await APNsStage.run { stage in
            let pushes = try (0..<100).map { try APNsStage.push($0, environment: $0 < 50 ? .production : .sandbox) }
            let outcomes = await stage.client.send(pushes, expiration: stage.clock.now.addingTimeInterval(60))
            #expect(outcomes == Array(repeating: .accepted, count: 100))
            #expect(stage.service.totals.connections == 2)
        }
    }

    @Test("random failures over many windows: no push is missed")
    func chance() async throws {
        try await APNsStage.run(rules: { rules in
            rules.refusesInFlight = false
        }) { stage in
            stage.service.fail(oneIn: 400, with: .goAway(SimulatedGoAway(last: .previous)))
            stage.service.fail(oneIn: 400, with: .hangUp)
            stage.service.fail(oneIn: 100, with: .reset(code: 7))
            stage.service.fail(oneIn: 100, with: .reply(status: 503, reason: "ServiceUnavailable"))
            stage.service.fail(oneIn: 100, with: .reply(status: 500, reason: "InternalServerError"))
            for window in 0..<10 {
                let outcomes = try await stage.send(window * 200..<(window + 1) * 200)
                #expect(outcomes == Array(repeating: .accepted, count: 200))
            }
            #expect(stage.service.wokenTokens == 2000)
        }
    }
}
