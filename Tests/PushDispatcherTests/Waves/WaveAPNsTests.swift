import Credentials
import DevelopmentAPNs
import Foundation
import Running
import TestSupport
import Testing

@testable import PushDispatcher

/// Waves through the client to a simulated service that randomly resets streams and sends GOAWAY, while dispatchers crash.
/// The service's counts decide.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WaveAPNsTests {
    private static let phones = 3000

    @Test(
        "no live phone is missed, repeats stay within a page and have the same id, dead tokens are removed",
        arguments: KillableSender.Moment.allCases)
    func killed(at moment: KillableSender.Moment) async throws {
        try await WaveStage.run { stage in
            stage.clock.set(APNsStage.start)
            try await stage.register(0..<Self.phones)
            try await APNsStage.run(rules: { $0.updates = .perConnection }) { apns in
                let dead = Set((0..<Self.phones).filter { $0.isMultiple(of: 20) })
                for number in dead {
                    apns.service.answer(
                        WaveStage.token(number),
                        always: .reply(status: 410, reason: "Unregistered", timestamp: APNsStage.start))
                }
                apns.service.fail(oneIn: 400, with: .goAway(SimulatedGoAway(last: .previous)))
                apns.service.fail(oneIn: 200, with: .reset(code: 7))
                let client = apns.client
                let send: KillableSender.Send = { await client.send($0, expiration: $1) }
                for page in [0, 1] { await stage.runUntilKilled(at: moment, onPage: page, sending: send) }
                let report = try #require(try await stage.engine(send: send).runDue())
                #expect(report.outcome == .finished && report.wave.sent == Self.phones)

                var (missed, renamed, repeats) = (0, 0, 0)
                for number in 0..<Self.phones where !dead.contains(number) {
                    let accepted = apns.service.accepted(token: WaveStage.token(number))
                    let name = stage.vault.pushID(
                        wave: report.wave.id.bytes, instance: stage.vault.hash(instance: Secret("phone \(number)")))
                    if accepted == 0 { missed += 1 } else { repeats += accepted - 1 }
                    if apns.service.accepted(id: name) != accepted { renamed += 1 }
                }
                #expect(missed == 0)
                #expect(renamed == 0)
                switch moment {
                case .beforeSending: #expect(repeats == 0)
                case .halfway: #expect(repeats > 900 && repeats <= 1000)
                case .afterSending: #expect(repeats > 1800 && repeats <= 2000)
                }
                let left = try await stage.registered(below: Self.phones)
                #expect(left.count == Self.phones - dead.count && left.isDisjoint(with: dead))
                #expect(apns.service.totals.rejections["Unregistered", default: 0] >= dead.count)
                #expect(apns.service.totals.connections > 3)
            }
        }
    }

    @Test("without a crash, each phone is woken exactly once, whatever the connections do")
    func exactlyOnce() async throws {
        try await WaveStage.run { stage in
            stage.clock.set(APNsStage.start)
            try await stage.register(0..<Self.phones)
            try await APNsStage.run(rules: { $0.updates = .perConnection }) { apns in
                apns.service.fail(oneIn: 300, with: .goAway(SimulatedGoAway(last: .previous)))
                apns.service.fail(oneIn: 100, with: .reset(code: 7))
                let client = apns.client
                let report = try #require(
                    try await stage.engine(send: { await client.send($0, expiration: $1) }).runDue())
                #expect(report.outcome == .finished && report.wave.accepted == Self.phones)
                let others = (0..<Self.phones).count { apns.service.accepted(token: WaveStage.token($0)) != 1 }
                #expect(others == 0)
            }
        }
    }

    @Test("a service that rejects every token stops the wave, and no registration is removed")
    func wrongHost() async throws {
        try await WaveStage.run { stage in
            stage.clock.set(APNsStage.start)
            try await stage.register(0..<1200)
            try await APNsStage.run { apns in
                for number in 0..<1200 {
                    apns.service.answer(WaveStage.token(number), always: .reply(status: 400, reason: "BadDeviceToken"))
                }
                let client = apns.client
                let report = try #require(
                    try await stage.engine(send: { await client.send($0, expiration: $1) }).runDue())
                #expect(report.outcome == .breaker)
                #expect(apns.service.totals.rejections == ["BadDeviceToken": 1000])
                #expect(try await stage.registered(below: 1200).count == 1200)
            }
        }
    }
}
