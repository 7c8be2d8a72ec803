import Foundation
import Running
import Synchronization
import TestSupport
import Testing

@testable import PushDispatcher

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct StatusTests {
    private let schedule = WaveSchedule(interval: 7200, pause: 1800, spread: 0)

    private func status(of stage: WaveStage, progress: ProgressBar = .hidden) async throws -> [String] {
        let said = Mutex<[String]>([])
        try await StatusCommand.show(
            stage.store, schedule: schedule, clock: stage.clock.clock, progress: progress
        ) { line in said.withLock { $0.append(line) } }
        return said.withLock { $0 }
    }

    @Test("the status shows how the last wave ended, and when the next is due")
    func lines() async throws {
        try await WaveStage.run { stage in
            var lines = try await status(of: stage)
            #expect(
                lines == [
                    "0 phones are registered for pushes, and 0 that are never pushed to.",
                    "There has been no wave in the last 7 days.", "The next wave is due now.",
                ])
            try await stage.register(0..<30)
            try await stage.register(30..<32, kind: .android)
            stage.apns.answer(.unregistered(stage.clock.now), for: [3])
            _ = try await stage.engine().runDue()
            lines = try await status(of: stage)
            #expect(
                lines == [
                    "29 phones are registered for pushes, and 2 that are never pushed to.",
                    "The last wave began 2026-05-26T12:10:00Z and is finished: 30 of 30 sent, 29 accepted, "
                        + "1 registrations removed.",
                    "The next wave is due 2026-05-26T14:10:00Z.",
                ])
            try await stage.store.plan(at: stage.clock.now)
            lines = try await status(of: stage)
            #expect(lines.last == "The next wave is due 2026-05-26T12:40:00Z: something new was announced.")
            stage.clock.advance(by: 7200)
            stage.apns.answer(.refused(.topicDisallowed), for: 0..<30)
            _ = try await stage.engine().runDue()
            lines = try await status(of: stage)
            #expect(lines.contains { $0.contains("stopped because APNs refuses our pushes: 0 of 29 sent") })
            stage.clock.advance(by: 7200)
            stage.apns.answer(.wrongToken, for: 0..<30)
            _ = try await stage.engine().runDue()
            lines = try await status(of: stage)
            #expect(lines.contains { $0.contains("APNs called too many tokens wrong") })
        }
    }

    @Test("a progress bar follows a running wave to its end")
    func bar() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<2000)
            let drawn = Mutex("")
            let (untilHalfIsSeen, sight) = AsyncStream<Never>.makeStream()
            let bar = ProgressBar { text in
                let isHalf = drawn.withLock {
                    $0 += text
                    return $0.contains("1000 of 2000")
                }
                if isHalf { sight.finish() }
            }
            let engine = stage.engine { pushes, _ in
                // The second page waits until somebody has seen the first.
                if !stage.apns.calls.isEmpty { for await _ in untilHalfIsSeen {} }
                return stage.apns.send(pushes)
            }
            async let wave = engine.runDue()
            while try await stage.store.status(asOf: stage.clock.now).last == nil { await Task.yield() }
            let lines = try await status(of: stage, progress: bar)
            #expect(try await wave?.outcome == .finished)
            #expect(lines.contains { $0.contains("is finished: 2000 of 2000 sent") })
            #expect(drawn.withLock { $0.hasSuffix("2000 of 2000\n") })
        }
    }

    @Test(
        "each reply of APNs is explained",
        arguments: [
            (PushOutcome.accepted, "accepted the push"), (.unregistered(Date(timeIntervalSince1970: 0)), "1970-01-01"),
            (.wrongToken, "--sandbox"), (.givenUp, "too many"), (.unreachable, "reached"),
            (.refused(.topicDisallowed), "apns.topic"),
        ])
    func explanations(outcome: PushOutcome, word: String) {
        #expect(outcome.explanation(in: .production).contains(word))
    }

    @Test("every reason has a remedy", arguments: APNsReason.allCases)
    func remedies(reason: APNsReason) {
        let text = PushOutcome.refused(reason).explanation(in: .sandbox)
        #expect(text.contains("(\(reason.rawValue))") && text.hasSuffix("."))
    }
}
