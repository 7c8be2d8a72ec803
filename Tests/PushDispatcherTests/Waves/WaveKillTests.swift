import Foundation
import Logging
import Running
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import PushDispatcher

/// A dispatcher that crashes during a wave, and its successor.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WaveKillTests {
    @Test(
        "no phone is missed, at most a page is repeated, and repeats have the same id",
        arguments: KillableSender.Moment.allCases)
    func killed(at moment: KillableSender.Moment) async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<4500)
            let gone = Set((0..<4500).filter { $0.isMultiple(of: 20) })
            stage.apns.answer(.unregistered(stage.clock.now), for: gone)
            for fatalPage in [0, 2, 1] {
                await stage.runUntilKilled(at: moment, onPage: fatalPage) { pushes, _ in stage.apns.send(pushes) }
            }
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.sent == 4500)
            #expect(try await stage.outcomes() == ["finished"])
            var repeated = 0
            for number in 0..<4500 {
                let pushes = stage.apns.pushes(number)
                #expect(pushes.count >= 1 && pushes.names == 1)
                repeated += pushes.count - 1
            }
            #expect(repeated == (moment == .beforeSending ? 0 : moment == .halfway ? 1500 : 3000))
            #expect(try await stage.registered(below: 4500) == Set(0..<4500).subtracting(gone))
        }
    }

    @Test("on shutdown a dispatcher finishes its page, and nothing is repeated")
    func graceful() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3000)
            let group = Mutex<ServiceGroup?>(nil)
            let engine = stage.engine { pushes, _ in
                let outcomes = stage.apns.send(pushes)
                if stage.apns.calls.count == 2 {
                    await group.withLock { $0 }?.triggerGracefulShutdown()
                    try? await gracefulShutdown()
                }
                return outcomes
            }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let services = ServiceGroup(services: [WaveService(engine: engine, logger: logger)], logger: logger)
            group.withLock { $0 = services }
            try await services.run()
            #expect(stage.apns.calls == [1000, 1000])
            let report = try #require(try await stage.engine().runDue())
            #expect(report.wave.sent == 3000)
            for number in 0..<3000 { #expect(stage.apns.pushes(number).count == 1) }
        }
    }
}
