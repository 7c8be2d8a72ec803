import ExposureKeys
import Foundation
import Schema
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct ExplainTests {
    private static let noon = Samples.noon

    @Test("every state of a key is explained: unknown, level, embargo, undecided, too few, published, expired")
    func keys() async throws {
        try await PublishingStage.run { stage in
            let explain = stage.explain(at: Self.noon.end)
            let plain = try Samples.key(1)
            #expect(try await explain.key(plain.data) == .unknown(lastFolded: nil))

            let low = try Samples.key(2, level: 2)
            // Its period ends with the day: its embargo two hours later.
            let today = try Samples.key(3, day: Samples.day)
            try await stage.fold(Self.noon, [plain, low, today])
            #expect(try await explain.key(low.data) == .level(low.transmissionRiskLevel, lowest: .lowestPublished))
            let release = Samples.day.advanced(by: 1).firstHour.advanced(by: 3)
            #expect(try await explain.key(today.data) == .embargo(until: release))
            #expect(try await explain.key(plain.data) == .undecided(release: Self.noon, lastPublished: nil))

            try await stage.publish(through: Self.noon)
            #expect(try await explain.key(plain.data) == .threshold(waiting: 1, minimum: 140, since: Self.noon))

            let next = Self.noon.advanced(by: 1)
            try await stage.fold(next, try Samples.keys(100..<300))
            try await stage.publish(through: next)
            #expect(try await explain.key(plain.data) == .published(next))
            #expect(try await explain.key(Samples.key(999_999).data) == .unknown(lastFolded: next))

            // 14 days after the end of its day.
            let expiry = Samples.day.advanced(by: -2 + 14).firstHour
            #expect(try await stage.explain(at: expiry.start).key(plain.data) == .published(next))
            #expect(try await stage.explain(at: expiry.end).key(plain.data) == .expired)
            try await stage.foldEmpty(next.advanced(by: 1)...expiry)
            try await stage.publish(through: expiry)
            let hour = try await explain.hour(next)
            #expect(hour.text(minimum: 140).contains("All keys that it took have expired."))
        }
    }

    @Test("every state of another country's key is explained, with its origin and its regions")
    func foreignKeys() async throws {
        try await PublishingStage.run { stage in
            let explain = stage.explain(at: Self.noon.end)
            func state(_ key: DiagnosisKey, at now: Date = Self.noon.end, _ expected: Explanation) async throws {
                let found = try await stage.explain(at: now).key(key.data)
                #expect(found == .foreign(origin: "FR", regions: ["DE", "EUR"], expected))
            }
            let (plain, low) = (try Samples.key(1), try Samples.key(2, level: 2))
            let today = try Samples.key(3, day: Samples.day)
            try await stage.importKeys([plain, low, today], in: Self.noon)
            let elsewhere = try Samples.key(4)
            try await stage.importKeys([elsewhere], in: Self.noon, from: "IT", visited: "FRIT")
            let importing = Explanation.importing(Self.noon, lastComplete: nil)
            #expect(try await explain.key(elsewhere.data) == .foreign(origin: "IT", regions: ["EUR"], importing))
            try await state(low, .level(low.transmissionRiskLevel, lowest: .lowestPublished))
            try await state(plain, importing)
            try await stage.endImport(of: Self.noon)
            try await state(plain, .undecided(release: Self.noon, lastPublished: nil))

            try await stage.fold(Self.noon, try Samples.keys(1000..<1200))
            try await state(today, .embargo(until: Samples.day.advanced(by: 1).firstHour.advanced(by: 3)))
            try await stage.publish(through: Self.noon)
            try await state(plain, .foreignThreshold(waiting: 2, minimum: 140, since: Self.noon))

            // So many come late that the next hour takes them.
            let next = Self.noon.advanced(by: 1)
            try await stage.importKeys(try Samples.keys(100..<300), in: Self.noon)
            try await state(plain, .undecided(release: next, lastPublished: Self.noon))
            try await stage.foldEmpty(next...next)
            try await stage.publish(through: next)
            try await state(plain, .published(next))
            let text = try await explain.key(plain.data).text(minimum: 140)
            #expect(text.contains("A key of another country, FR.") && text.contains("DE, EUR."))
            let hour = try await explain.hour(next).text(minimum: 140)
            #expect(hour.contains("Of the keys of other countries that it took, 202 haven't expired."))

            let expiry = Samples.day.advanced(by: -2 + 14).firstHour
            try await state(plain, at: expiry.start, .published(next))
            try await state(plain, at: expiry.end, .expired)
        }
    }

    @Test("every state of an hour is explained: not folded, not published, published, forgotten")
    func hours() async throws {
        try await PublishingStage.run { stage in
            let explain = stage.explain(at: Self.noon.end)
            #expect(try await explain.hour(Self.noon) == .unfolded(lastFolded: nil))
            try await stage.fold(Self.noon, try Samples.keys(0..<150))
            #expect(try await explain.hour(Self.noon) == .unpublished(lastPublished: nil))
            try await stage.publish(through: Self.noon)
            let end = Samples.day.advanced(by: -2).firstInterval
            #expect(
                try await explain.hour(Self.noon) == .hour(PublishedHour(hour: Self.noon, keys: 150, firstEnd: end)))
            #expect(try await explain.hour(Self.noon.advanced(by: 1)) == .unfolded(lastFolded: Self.noon))
            #expect(try await explain.hour(Self.noon.advanced(by: -1)) == .forgotten)
        }
    }

    @Test("a key is given in hexadecimal or Base64, an hour by any instant in it")
    func arguments() throws {
        let key = try Samples.key(5).data
        let hexadecimal = key.bytes.map { String(format: "%02x", $0) }.joined()
        #expect(ExplainedSubject(hexadecimal) == .key(key))
        #expect(ExplainedSubject(hexadecimal.uppercased()) == .key(key))
        #expect(ExplainedSubject(Data(key.bytes).base64EncodedString()) == .key(key))
        #expect(ExplainedSubject("2026-05-27T12:34:56Z") == .hour(Samples.noon))
        let identity = [UInt8](repeating: 0xFB, count: 32)
        #expect(ExplainedSubject(String(repeating: "fB", count: 32)) == .traceKey(identity))
        let base64 = Data(identity).base64EncodedString()
        #expect(ExplainedSubject(base64) == .traceKey(identity))
        #expect(ExplainedSubject(base64.replacing("+", with: "-").replacing("=", with: "")) == .traceKey(identity))
        for other in [
            "", "key", hexadecimal + "00", String(hexadecimal.dropLast()), "2026-05-27",
            Data([1, 2]).base64EncodedString(),
        ] {
            #expect(ExplainedSubject(other) == nil, "\(other)")
        }
    }

    @Test("explanations differ, and contain no optional values")
    func texts() throws {
        let key = try Samples.key(5)
        let all: [Explanation] = [
            .unknown(lastFolded: nil), .unknown(lastFolded: Self.noon),
            .level(key.transmissionRiskLevel, lowest: .lowestPublished), .embargo(until: Self.noon),
            .undecided(release: Self.noon, lastPublished: nil),
            .threshold(waiting: 1, minimum: 140, since: Self.noon), .published(Self.noon), .expired,
            .unfolded(lastFolded: Self.noon), .unpublished(lastPublished: Self.noon),
            .hour(PublishedHour(hour: Self.noon, keys: 0, reports: 150)),
            .hour(
                PublishedHour(hour: Self.noon, keys: 0, reports: 150), VenueBundle(firstHour: Self.noon, reports: 280)),
            .importing(Self.noon, lastComplete: nil), .importing(Self.noon, lastComplete: Self.noon),
            .foreignThreshold(waiting: 1, minimum: 140, since: Self.noon),
            .foreign(origin: "FR", regions: [], .expired), .foreign(origin: "FR", regions: ["EUR"], .expired),
            .hour(
                PublishedHour(
                    hour: Self.noon, foreign: TakenKeys(through: Self.noon, count: 150, firstEnd: Samples.firstEnd))),
            .forgotten, .unknownTraceKey, .waitingTraceKey(since: TraceKeyPublishingTests.tag),
            .publishedTraceKey(since: TraceKeyPublishingTests.tag), .expiredTraceKey,
        ]
        #expect(
            Explanation.waitingTraceKey(since: TraceKeyPublishingTests.tag).text(minimum: 140).contains(
                "2026-05-27 14:00 UTC"))
        #expect(Set(all.map { $0.text(minimum: 140) }).count == all.count)
        #expect(Explanation.published(Self.noon).text(minimum: 140).contains("2026-05-27 12:00 UTC"))
        #expect(
            all.allSatisfy { !$0.text(minimum: 140).contains("nil") && !$0.text(minimum: 140).contains("Optional") })
    }
}
