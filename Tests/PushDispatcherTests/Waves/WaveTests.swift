import Credentials
import Foundation
import InMemoryLogging
import Logging
import Postgres
import Running
import Schema
import Synchronization
import TestSupport
import Testing

@testable import PushDispatcher

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WaveTests {
    @Test("every registered iPhone is woken once, an Android phone never")
    func everybody() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<2500)
            try await stage.register(2500..<2600, kind: .sandbox)
            try await stage.register(2600..<2700, kind: .android)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished)
            #expect(report.wave.size == 2600 && report.wave.sent == 2600 && report.wave.accepted == 2600)
            for number in 0..<2600 { #expect(stage.apns.pushes(number).count == 1) }
            for number in 2600..<2700 { #expect(stage.apns.pushes(number).count == 0) }
            #expect(stage.apns.calls == [1000, 1000, 600])
            #expect(try await stage.engine().runDue() == nil)
        }
    }

    @Test("a wave of which APNs accepted nothing isn't a success, unless all of its phones are gone")
    func nobody() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            stage.apns.answer(.givenUp, for: 0..<1500)
            let log = InMemoryLogHandler()
            let logger = Logger(label: "test") { _ in log }
            let first = try #require(try await stage.engine(logger: logger).runDue())
            #expect(first.outcome == .unaccepted)
            #expect(log.entries.contains { $0.message == "the wave woke nobody" })
            #expect(stage.metrics.text.contains(#"push_waves_total{outcome="finished"} 0"#))
            #expect(try await stage.outcomes() == ["unaccepted"])
            let status = try await stage.store.status(asOf: stage.clock.now)
            let schedule = WaveSchedule(interval: 7200, pause: 1800, spread: 0)
            let lines = status.lines(schedule: schedule, at: stage.clock.now)
            #expect(lines.contains { $0.contains("woke nobody: 1500 of 1500 sent, 0 accepted") })
            // The next one begins at its time, and one push that is accepted makes it a success.
            #expect(try await stage.engine().runDue() == nil)
            stage.apns.answer(.accepted, for: [7])
            stage.clock.advance(by: 7200)
            let second = try #require(try await stage.engine().runDue())
            #expect(second.outcome == .finished)
            // All that are left are gone: nobody has missed anything.
            stage.apns.answer(.unregistered(stage.clock.now), for: 0..<1500)
            stage.clock.advance(by: 7200)
            let last = try #require(try await stage.engine().runDue())
            #expect(last.outcome == .finished && last.wave.accepted == 0 && last.wave.removed == 1500)
        }
    }

    @Test("a wave whose tokens can't be opened isn't a success")
    func unreadable() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3)
            let other = WaveEngine(
                store: stage.store, vault: TokenVault(secret: [UInt8](repeating: 1, count: 32)),
                schedule: WaveSchedule(interval: 7200, pause: 1800, spread: 0), clock: stage.clock.clock,
                databaseClock: DatabaseClock(of: stage.client, movedLike: stage.clock.clock),
                send: { pushes, _ in stage.apns.send(pushes) }, metrics: WaveMetrics(stage.metrics),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let report = try #require(try await other.runDue())
            #expect(report.outcome == .unaccepted && report.wave.sent == 0)
        }
    }

    @Test("while the clock is ahead of the database's, no wave begins and no running wave expires")
    func ahead() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3)
            let databaseClock = ManualClock(stage.clock.now)
            // It stops after taking over the wave: no phone is reached.
            await #expect(throws: APNsUnreachable.self) {
                _ = try await stage.engine { pushes, _ in pushes.map { _ in .unreachable } }.runDue()
            }
            stage.clock.advance(by: 3 * 3600)
            await #expect(throws: ClockAhead.self) {
                _ = try await stage.engine(databaseClock: databaseClock).runDue()
            }
            #expect(stage.apns.calls.isEmpty)
            // The clock is right again, and the wave continues.
            stage.clock.set(databaseClock.now)
            let report = try #require(try await stage.engine(databaseClock: databaseClock).runDue())
            #expect(report.outcome == .finished && report.wave.accepted == 3)
        }
    }

    @Test("no hash of a phone remains of a wave that has ended")
    func forgotten() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3)
            _ = try await stage.engine().runDue()
            let left = try await stage.client.session { session in
                try session.rows(
                    "SELECT octet_length(position), page_end IS NULL FROM push_dispatcher.wave", as: Int32.self,
                    Bool.self)
            }
            #expect(left.count == 1 && left.allSatisfy { $0 == (0, true) })
        }
    }

    @Test("a push expires with the next wave, its kind decides the host, and unproven tokens go apart")
    func pushes() async throws {
        try await WaveStage.run { stage in
            try await stage.register([0])
            try await stage.register([1], kind: .sandbox, standing: .new)
            try await stage.register([2], standing: .refused)
            let seen = Mutex<[String: (APNsEnvironment, Bool, Date)]>([:])
            let engine = stage.engine { pushes, expiration in
                seen.withLock { seen in
                    for push in pushes { seen[push.token.hex] = (push.environment, push.isSuspect, expiration) }
                }
                return pushes.map { _ in .accepted }
            }
            _ = try await engine.runDue()
            let expected: [(APNsEnvironment, Bool)] = [(.production, false), (.sandbox, true), (.production, true)]
            for (number, (environment, isSuspect)) in expected.enumerated() {
                let push = try #require(seen.withLock { $0[WaveStage.token(number)] })
                #expect(push.0 == environment && push.1 == isSuspect)
                #expect(push.2 == DispatcherStage.now + 7200)
                #expect(try await stage.standing(number) == 1)
            }
        }
    }

    @Test("the next wave begins after the interval, or when announced, but not within the pause")
    func schedule() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3)
            let engine = stage.engine()
            #expect(try await engine.runDue() != nil)
            stage.clock.advance(by: 60)
            for _ in 0..<3 { try await stage.store.plan(at: stage.clock.now) }
            #expect(try await engine.runDue() == nil)
            stage.clock.advance(by: 1740)
            #expect(try await engine.runDue() != nil)
            #expect(try await engine.runDue() == nil)
            stage.clock.advance(by: 7199)
            #expect(try await engine.runDue() == nil)
            stage.clock.advance(by: 1)
            #expect(try await engine.runDue() != nil)
            #expect(try await stage.outcomes() == ["finished", "finished", "finished"])
            #expect(stage.apns.pushes(0).count == 3 && stage.apns.pushes(0).names == 3)
        }
    }

    // MARK: What APNs says

    @Test("a registration whose token isn't in use is removed, unless it was renewed since")
    func unregistered() async throws {
        try await WaveStage.run { stage in
            let hour = RegistrationHour(containing: stage.clock.now).number
            let confirmed = stage.clock.now - 300
            try await stage.register(0..<20, hour: hour - 1)
            try await stage.register(20..<30, hour: hour)
            stage.apns.answer(.unregistered(confirmed), for: 10..<30)
            // Known for longer than it is registered.
            stage.apns.answer(.unregistered(confirmed - 7200), for: 5..<10)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.wave.removed == 10)
            #expect(try await stage.registered(below: 30) == Set(0..<10).union(20..<30))
            // Of those that were registered in the hour of APNs's word some renew; the others are gone the next time.
            for number in 20..<25 { #expect(try await stage.standing(number) == 2) }
            for number in 20..<25 { try await stage.renew(number) }
            stage.clock.advance(by: 7200)
            _ = try await stage.engine().runDue()
            #expect(try await stage.registered(below: 30) == Set(0..<10).union(20..<25))
        }
    }

    @Test("a renewal between APNs's reply and its recording keeps the registration")
    func renewedMeanwhile() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<10)
            let engine = stage.engine { pushes, _ in
                let now = stage.clock.now
                for number in 0..<5 { try? await stage.renew(number) }
                return pushes.map { _ in .unregistered(now) }
            }
            _ = try await engine.runDue()
            #expect(try await stage.registered(below: 10) == Set(0..<5))
        }
    }

    @Test("few wrong tokens are removed; with many, none is removed and the wave stops")
    func wrongTokens() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3000)
            stage.apns.answer(.wrongToken, for: 0..<90)
            let first = try #require(try await stage.engine().runDue())
            #expect(first.outcome == .finished && first.wave.removed == 90)
            #expect(try await stage.registered(below: 3000).count == 2910)
            // Now the settings are wrong.
            stage.apns.answer(.wrongToken, for: 0..<3000)
            stage.apns.forget()
            stage.clock.advance(by: 7200)
            let second = try #require(try await stage.engine().runDue())
            #expect(second.outcome == .breaker && second.wave.removed == 0)
            #expect(stage.apns.calls == [1000])
            #expect(try await stage.registered(below: 3000).count == 2910)
            #expect(stage.metrics.text.contains(#"push_waves_total{outcome="breaker"} 1"#))
        }
    }

    @Test("invented tokens among new phones don't stop the wave, and are removed by the next")
    func madeUp() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<2500, standing: .new)
            stage.apns.answer(.wrongToken, for: 0..<500)
            let first = try #require(try await stage.engine().runDue())
            #expect(first.outcome == .finished && first.wave.accepted == 2000 && first.wave.removed == 0)
            stage.clock.advance(by: 7200)
            let second = try #require(try await stage.engine().runDue())
            #expect(second.outcome == .finished && second.wave.removed == 500)
            #expect(try await stage.registered(below: 2500) == Set(500..<2500))
        }
    }

    @Test("if APNs refuses credentials or requests, the wave stops")
    func refused() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            stage.apns.answer(.refused(.invalidProviderToken), for: 0..<1500)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .refused)
            #expect(stage.apns.calls == [1000])
            #expect(try await stage.registered(below: 1500).count == 1500)
            #expect(stage.metrics.text.contains(#"push_waves_total{outcome="refused"} 1"#))
            // Some of the page may have been woken, so that the pause counts.
            stage.clock.advance(by: 60)
            try await stage.store.plan(at: stage.clock.now)
            #expect(try await stage.engine().runDue() == nil)
        }
    }

    @Test("a refusal by the sandbox doesn't stop other pushes")
    func refusedSandbox() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            try await stage.register(1500..<1510, kind: .sandbox)
            stage.apns.answer(.refused(.badEnvironmentKeyInToken), for: 1500..<1510)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.accepted == 1500)
            #expect(try await stage.registered(below: 1510).count == 1510)
        }
    }

    @Test("while APNs can't be reached the wave waits, and no phone is missed")
    func unreachable() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<2500)
            let isDown = Mutex(true)
            let engine = stage.engine { pushes, _ in
                isDown.withLock { $0 } ? pushes.map { _ in .unreachable } : stage.apns.send(pushes)
            }
            for _ in 0..<3 { await #expect(throws: APNsUnreachable.self) { _ = try await engine.runDue() } }
            isDown.withLock { $0 = false }
            let report = try #require(try await engine.runDue())
            #expect(report.outcome == .finished && report.wave.accepted == 2500)
            for number in 0..<2500 { #expect(stage.apns.pushes(number).count == 1) }
        }
    }

    @Test("if APNs becomes unreachable within a page, the rest is sent later and nothing twice")
    func vanishes() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            var engine = stage.engine { pushes, _ in
                guard stage.apns.calls.isEmpty else { return stage.apns.send(pushes) }
                return stage.apns.send(Array(pushes.prefix(300))) + pushes.dropFirst(300).map { _ in .unreachable }
            }
            engine.recovery = .zero
            let report = try #require(try await engine.runDue())
            #expect(report.outcome == .finished && report.wave.accepted == 1500)
            #expect(stage.apns.calls == [300, 700, 500])
            for number in 0..<1500 { #expect(stage.apns.pushes(number).count == 1) }
        }
    }

    @Test("an expired wave is counted")
    func leftAndCounted() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3)
            let engine = stage.engine { pushes, _ in pushes.map { _ in .unreachable } }
            await #expect(throws: APNsUnreachable.self) { _ = try await engine.runDue() }
            stage.clock.advance(by: 7200)
            _ = try await stage.engine().runDue()
            #expect(try await stage.outcomes() == ["expired", "finished"])
            #expect(stage.metrics.text.contains(#"push_waves_total{outcome="expired"} 1"#))
        }
    }

    @Test("a push that was given up doesn't affect the registration")
    func givenUp() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<20)
            stage.apns.answer(.givenUp, for: 0..<15)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.accepted == 5)
            #expect(try await stage.registered(below: 20).count == 20)
            for number in 0..<20 { #expect(try await stage.standing(number) == 1) }
        }
    }

    @Test("tokens that were sealed with another key are kept, and reported")
    func otherKey() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<5)
            try await stage.client.session { session in
                try session.execute("UPDATE push_dispatcher.registration SET sealed_token = repeat('x', 284)::bytea")
            }
            try await stage.register(5..<8)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.sent == 3)
            #expect(try await stage.registered(below: 8).count == 8)
            #expect(stage.metrics.text.contains(#"pushes_total{outcome="unreadable"} 5"#))
        }
    }

    // MARK: Several at once, and the end of time

    @Test("of several dispatchers one leads, and each phone is woken once")
    func replicas() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            try await withThrowingTaskGroup(of: WaveEngine.Report?.self) { group in
                for _ in 0..<3 { group.addTask { try await stage.engine().runDue() } }
                var reports = 0
                for try await report in group where report != nil { reports += 1 }
                #expect(reports == 1)
            }
            for number in 0..<1500 { #expect(stage.apns.pushes(number).count == 1) }
        }
    }

    @Test("a leader that was believed dead changes nothing")
    func fenced() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            stage.apns.answer(.wrongToken, for: [0])
            let other = LeaderID.fresh()
            let engine = stage.engine { pushes, _ in
                // As when the connection with the lock broke.
                let taken = try? await stage.store.take(
                    as: other, at: stage.clock.now, by: WaveSchedule(interval: 7200, pause: 0, spread: 0))
                return taken == nil ? [] : stage.apns.send(pushes)
            }
            await #expect(throws: LostLead.self) { _ = try await engine.runDue() }
            #expect(stage.apns.calls == [1000])
            #expect(try await stage.registered(below: 1500).count == 1500)
            // The next one repeats the page and continues.
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.sent == 1500)
            #expect(stage.apns.total == 2500)
            for number in 0..<1500 { #expect(stage.apns.pushes(number).names == 1) }
        }
    }

    @Test("a client that doesn't respond is cancelled, and its page is sent again")
    func silent() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<3)
            var engine = stage.engine { _, _ in
                try? await Task.sleep(for: .seconds(3600))
                return []
            }
            engine.patience = .milliseconds(1)
            let silent = engine
            await #expect(throws: UnresponsiveClient.self) { _ = try await silent.runDue() }
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.accepted == 3)
        }
    }

    @Test("a wave whose time is over gives way to the next one")
    func expired() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<1500)
            let engine = stage.engine { pushes, _ in
                stage.clock.advance(by: 7200)
                return stage.apns.send(pushes)
            }
            let report = try #require(try await engine.runDue())
            #expect(report.outcome == .expired && report.wave.sent == 1000)
            #expect(stage.apns.calls == [1000])
        }
    }

    @Test("a wave that a dead dispatcher left is restarted after its expiry")
    func leftForLong() async throws {
        try await WaveStage.run { stage in
            try await stage.register(0..<10)
            let schedule = WaveSchedule(interval: 7200, pause: 1800, spread: 0)
            let left = try #require(
                try await stage.store.take(as: .fresh(), at: stage.clock.now, by: schedule))
            stage.clock.advance(by: 7201)
            let report = try #require(try await stage.engine().runDue())
            #expect(report.outcome == .finished && report.wave.id != left.id)
            #expect(try await stage.outcomes() == ["expired", "finished"])
        }
    }
}

extension WaveStage {
    /// The effect of a phone's own renewal.
    func renew(_ number: Int) async throws {
        let token = Secret(Self.token(number))
        let hash = vault.hash(token: token)
        try await RegistrationStore(client).register(
            RegistrationRow(
                instance: vault.hash(instance: Secret("phone \(number)")), token: hash,
                sealed: try vault.seal(token, hash: hash), kind: .production,
                hour: RegistrationHour(containing: clock.now)))
    }
}
