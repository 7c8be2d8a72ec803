import Foundation
import FurtherAPI
import Postgres
import Schema
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RetentionTests {
    private static let day: Double = 86_400

    private static func clean(_ stage: FurtherStage) async throws {
        _ = try await stage.asService { client, clock in
            try await Retention.apply(.further, at: stage.clock.now, by: clock, in: client)
        }
    }

    @Test func `a report goes 14 days after its last update, however often it came before`() async throws {
        try await FurtherStage.run { stage async throws in
            let (once, again) = (UUID(), UUID())
            for id in [once, again] { #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200) }
            stage.clock.advance(by: 10 * Self.day)
            #expect(try await stage.report(.sample(again, true, at: stage.now)) == 200)
            stage.clock.advance(by: 4 * Self.day - 1)
            try await Self.clean(stage)
            #expect(try await stage.ids() == [once, again])
            stage.clock.advance(by: 1)
            try await Self.clean(stage)
            #expect(try await stage.ids() == [again])
            // Its first positive hour is still known: who goes by that doesn't begin anew.
            let since = try await stage.asSuperuser {
                try $0.row("SELECT positive_since FROM further.report", as: Int32.self)
            }
            #expect(since == Int32(FurtherStage.start.timeIntervalSince1970 / 3600))
            stage.clock.advance(by: 10 * Self.day)
            try await Self.clean(stage)
            #expect(try await stage.ids().isEmpty)
        }
    }

    @Test func `an expired report that hasn't been deleted yet counts as none`() async throws {
        try await FurtherStage.run { stage async throws in
            let (phone, other, id) = (SigningPhone(), SigningPhone(), UUID())
            try await stage.register(phone)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: phone) == 200)
            stage.clock.advance(by: 14 * Self.day)
            try await stage.register(other)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: other) == 200)
            let since = try await stage.asSuperuser {
                try $0.row("SELECT positive_since FROM further.report", as: Int32.self)
            }
            #expect(since == Int32(stage.now / 3600))
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: phone) == 403)
        }
    }

    @Test func `ids that were taken back go when they aren't published any more`() async throws {
        try await FurtherStage.run { stage async throws in
            let ids = (0..<14).map { _ in UUID() }
            #expect(try await stage.batch(ids.map { .sample($0, true, at: stage.now) }) == 200)
            stage.clock.advance(by: 6 * 3600)
            #expect(try await stage.batch(ids.map { .sample($0, false, at: stage.now) }) == 200)
            #expect(try await stage.ids() == Set(ids))
            stage.clock.advance(by: 6 * 3600)
            try await Self.clean(stage)
            #expect(try await stage.ids().isEmpty)
        }
    }

    @Test func `a key goes 30 days after its last use, and a nonce within three hours`() async throws {
        try await FurtherStage.run { stage async throws in
            let (used, unused) = (SigningPhone(), SigningPhone())
            for phone in [used, unused] { try await stage.register(phone) }
            stage.clock.advance(by: 20 * Self.day)
            #expect(try await stage.report(.sample(UUID(), false, at: stage.now), by: used) == 200)
            func nonces() async throws -> Int? {
                try await stage.asSuperuser { try $0.row("SELECT count(*) FROM further.nonce", as: Int.self) }
            }
            stage.clock.advance(by: 600)
            try await Self.clean(stage)
            #expect(try await nonces() == 1)
            stage.clock.advance(by: 2 * 3600)
            try await Self.clean(stage)
            #expect(try await nonces() == 0)
            stage.clock.advance(by: 11 * Self.day)
            try await Self.clean(stage)
            let names = try await stage.asSuperuser { try $0.rows("SELECT key FROM further.key", as: [UInt8].self) }
            #expect(names == [used.name.bytes])
            #expect(try await stage.report(.sample(UUID(), false, at: stage.now), by: unused) == 401)
            stage.clock.advance(by: 31 * Self.day)
            try await Self.clean(stage)
            #expect(try await stage.report(.sample(UUID(), false, at: stage.now), by: used) == 401)
        }
    }
}
