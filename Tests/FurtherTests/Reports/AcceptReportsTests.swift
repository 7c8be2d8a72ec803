import Foundation
import FurtherAPI
import HTTPContract
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AcceptReportsTests {
    private static let id = "9A8B7C6D-5E4F-4A3B-8C2D-1E0F9A8B7C6D"
    private static let answers = #""feelingSick":true,"hasBeenTested":true,"testResult":true"#

    /// What the published app sends, in the order in which it happens to write it.
    private static func app(id: String = Self.id, answers: String = Self.answers, update: String) -> Data {
        Data(#"{\#(answers),"lastUpdate":\#(update),"id":"\#(id)"}"#.utf8)
    }

    @Test func `a report of the published app is stored and answered with an empty object`() async throws {
        try await FurtherStage.run { stage async throws in
            let answer = try await stage.exchange("/health", Self.app(update: "\(stage.now - 2.5)"))
            #expect(answer == (200, "{}"))
            let row = try await stage.asSuperuser { session in
                try session.row(
                    """
                    SELECT id, feeling_sick, has_been_tested, last_update, positive_since, release_at FROM further.report
                    """, as: UUID.self, Bool.self, Bool.self, Int64.self, Int32.self, Int64.self)
            }
            let found = try #require(row)
            #expect(found.0 == UUID(uuidString: Self.id))
            #expect(found.1 && found.2)
            #expect(found.3 == 1_794_301_797)
            #expect(found.4 == 1_794_301_797 / 3600)
            #expect(found.5 == 0)
        }
    }

    @Test func `ids of any case are one, more keys are ignored, and padding is, too`() async throws {
        try await FurtherStage.run { stage async throws in
            let body = Self.app(
                id: Self.id.lowercased(), answers: Self.answers + #","didAnswer":7"#, update: "\(stage.now)")
            #expect(try await stage.send("/health", body) == 200)
            let padded = Self.app(update: "\(stage.now)") + Data(repeating: 32, count: 3000)
            #expect(try await stage.send("/health", padded, type: "application/json; charset=utf-8") == 200)
            #expect(try await stage.ids() == [try #require(UUID(uuidString: Self.id))])
        }
    }

    @Test func `what is no report is refused and stores nothing`() async throws {
        try await FurtherStage.run { stage async throws in
            let now = "\(stage.now)"
            var bodies = [
                "", "null", "[]", "7", "{}", "{", "\"x\"",
                #"{"id":"\#(Self.id)",\#(Self.answers)}"#, #"{\#(Self.answers),"lastUpdate":\#(now)}"#,
                #"{"id":7,\#(Self.answers),"lastUpdate":\#(now)}"#,
                #"{"id":"\#(Self.id)",\#(Self.answers),"lastUpdate":"\#(now)"}"#,
                #"{"id":"\#(Self.id)",\#(Self.answers),"lastUpdate":null}"#,
            ].map { Data($0.utf8) }
            for name in ["feelingSick", "hasBeenTested", "testResult"] {
                for value in ["1", "\"true\"", "null", "[]"] {
                    let answers = Self.answers.replacingOccurrences(
                        of: "\"\(name)\":true", with: "\"\(name)\":\(value)")
                    bodies.append(Self.app(answers: answers, update: now))
                }
                let missing = Self.answers.replacingOccurrences(of: "\"\(name)\":true", with: "\"other\":true")
                bodies.append(Self.app(answers: missing, update: now))
            }
            for id in [
                "", "x", Self.id + "0", String(Self.id.dropLast()), Self.id.replacingOccurrences(of: "-", with: ""),
                "{\(Self.id)}", " " + Self.id.dropFirst(), "G" + Self.id.dropFirst(),
            ] {
                bodies.append(Self.app(id: id, update: now))
            }
            for update in ["1e999", "-1e999", "NaN", "Infinity", "\(stage.now + 301)", "1e18", "true"] {
                bodies.append(Self.app(update: update))
            }
            for body in bodies {
                #expect(try await stage.send("/health", body) == 400, "\(String(decoding: body, as: UTF8.self))")
            }
            #expect(try await stage.ids().isEmpty)
            // The control, and the last moment that is allowed.
            #expect(try await stage.send("/health", Self.app(update: "\(stage.now + 300)")) == 200)
            #expect(try await stage.ids().count == 1)
        }
    }

    @Test func `other lengths, types, methods and callers are refused`() async throws {
        try await FurtherStage.run { stage async throws in
            let body = Self.app(update: "\(stage.now)")
            func padded(_ count: Int) -> Data { body + Data(repeating: 32, count: count - body.count) }
            #expect(try await stage.send("/health", padded(4097)) == 413)
            #expect(try await stage.send("/health", body, type: "text/plain") == 415)
            #expect(try await stage.send("/health", body, type: nil) == 415)
            #expect(try await stage.send("/health", body, by: .distribution) == 403)
            #expect(try await stage.send("/responses", body) == 404)
            #expect(try await stage.ids().isEmpty)
            #expect(try await stage.send("/health", padded(4096)) == 200)
        }
    }

    @Test func `a later report replaces an earlier one, an earlier one doesn't, and a repeat changes nothing`()
        async throws
    {
        try await FurtherStage.run { stage async throws in
            let id = UUID()
            func row() async throws -> [String] {
                try await stage.asSuperuser { session in
                    try session.rows(
                        "SELECT format('%s %s %s', feeling_sick, last_update, positive_since) FROM further.report",
                        as: String.self)
                }
            }
            let (now, hour) = (Int(stage.now), Int(stage.now) / 3600)
            func report(_ update: Int, sick: Bool) -> HealthReport {
                HealthReport(
                    id: id, feelingSick: sick, hasBeenTested: true, testResult: true, lastUpdate: Double(update))
            }
            #expect(try await stage.report(report(now - 100, sick: true)) == 200)
            #expect(try await stage.report(report(now - 50, sick: false)) == 200)
            #expect(try await row() == ["f \(now - 50) \(hour)"])
            #expect(try await stage.report(report(now - 51, sick: true)) == 200)
            #expect(try await row() == ["f \(now - 50) \(hour)"])
            // One that says positive no more, but earlier.
            #expect(try await stage.report(.sample(id, false, at: Double(now - 60))) == 200)
            #expect(try await row() == ["f \(now - 50) \(hour)"])
            #expect(try await stage.report(report(now - 50, sick: false)) == 200)
            #expect(try await row() == ["f \(now - 50) \(hour)"])
            // The first positive hour stays.
            stage.clock.advance(by: 86_400)
            #expect(try await stage.report(report(now + 86_400, sick: true)) == 200)
            #expect(try await row() == ["t \(now + 86_400) \(hour)"])
            #expect(try await stage.report(.sample(id, false, at: Double(now + 86_400))) == 200)
            #expect(try await row().isEmpty)
        }
    }

    @Test func `a report that is 14 days old changes nothing`() async throws {
        try await FurtherStage.run { stage async throws in
            let (old, life) = (UUID(), 14.0 * 86_400)
            #expect(try await stage.report(.sample(old, true, at: stage.now - life)) == 200)
            #expect(try await stage.report(.sample(UUID(), true, at: -1e300)) == 200)
            #expect(try await stage.ids().isEmpty)
            #expect(try await stage.report(.sample(old, true, at: stage.now - life + 1)) == 200)
            #expect(try await stage.ids() == [old])
        }
    }

    @Test func `negative reports for unknown ids touch no table`() async throws {
        try await FurtherStage.run { stage async throws in
            // Even a row that was taken back leaves a page.
            func size() async throws -> Int64? {
                try await stage.asSuperuser { session in
                    try session.row(
                        """
                        SELECT pg_relation_size('further.report') + pg_relation_size('further.key')
                            + pg_relation_size('further.nonce')
                        """, as: Int64.self)
                }
            }
            for _ in 0..<8 { #expect(try await stage.report(.sample(UUID(), false, at: stage.now)) == 200) }
            #expect(try await stage.batch([]) == 200)
            #expect(try await size() == 0)
            // The control.
            let id = UUID()
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200)
            #expect(try await stage.report(.sample(id, false, at: stage.now)) == 200)
            #expect(try await stage.ids().isEmpty)
            #expect(try await size() != 0)
        }
    }

    @Test func `an id has ten reports an hour, of whatever kind, and other ids have their own`() async throws {
        try await FurtherStage.run { stage async throws in
            let id = UUID()
            for number in 0..<10 {
                #expect(try await stage.report(.sample(id, number.isMultiple(of: 2), at: stage.now)) == 200)
            }
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 429)
            #expect(try await stage.batch([.sample(id, true, at: stage.now)]) == 429)
            #expect(try await stage.ids().isEmpty)
            #expect(try await stage.report(.sample(UUID(), true, at: stage.now)) == 200)
            stage.clock.advance(by: 3600)
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200)
        }
    }
}
