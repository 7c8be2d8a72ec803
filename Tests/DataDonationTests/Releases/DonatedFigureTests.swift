import DonationFormat
import FoundationEssentials
import Schema
import Statistics
import TestSupport
import Testing

@testable import DataDonation

/// What the authority is shown of donated data.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct DonatedFigureTests {
    @Test("warnings are counted by what they came from, each donation once; too few of a kind are withheld")
    func warnings() async throws {
        try await DonatedData.run { data in
            try await data.risks(1_000, level: 3, changed: true)
            try await data.risks(204, day: 6, level: 3, changed: true, visits: 3, visitsChanged: true)
            try await data.risks(99, level: 3, changed: false, visits: 3, visitsChanged: true)
            // Still high, no longer high, and donations of the days beside the week.
            try await data.risks(500, level: 3)
            try await data.risks(500, level: 2, changed: true)
            try await data.risks(500, day: -1, level: 3, changed: true)
            try await data.risks(500, day: 7, level: 3, changed: true)
            try await data.releaseFigures()
            #expect(
                try await data.database.released(.donatedWarnings) == [
                    "donated-warnings encounters 2026-11-16 7 1200", "donated-warnings visits 2026-11-16 7 withheld",
                ])
        }
    }

    @Test("the share of those who test is of the warnings that are shown, and needs 1,000 of them")
    func tested() async throws {
        try await DonatedData.run { data in
            try await data.risks(2_000, level: 3, changed: true)
            try await data.risks(400, visits: 3, visitsChanged: true)
            try await data.tests(640, level: 3)
            try await data.tests(190, result: 5, level: 3, visits: 3)
            try await data.tests(300, level: 2, visits: 3)
            try await data.tests(700, level: 2)
            try await data.releaseFigures()
            #expect(
                try await data.database.released(.shareTested) == [
                    "share-tested encounters 2026-11-16 7 40", "share-tested visits 2026-11-16 7 withheld",
                ])
        }
    }

    @Test("results are counted by their delay; pending ones and those without a registration aren't")
    func delays() async throws {
        try await DonatedData.run { data in
            for (count, result, hours) in [
                (500, 2, 0), (200, 3, 24), (200, 2, 25), (50, 4, 48), (50, 2, 49), (900, 1, 10), (700, 6, 1),
                (250, 7, 6), (49, 8, 7), (800, 5, 1),
            ] as [(Int, Int16, Int16)] {
                try await data.tests(count, result: result, hours: hours)
            }
            try await data.tests(900, result: 2, hours: nil)
            try await data.releaseFigures()
            // Of rapid tests there are 999.
            #expect(
                try await data.database.released(.resultDelay) == [
                    "result-delay pcr-24 2026-11-16 7 70", "result-delay pcr-48 2026-11-16 7 25",
                    "result-delay pcr-later 2026-11-16 7 5", "result-delay rapid-1 2026-11-16 7 withheld",
                    "result-delay rapid-6 2026-11-16 7 withheld", "result-delay rapid-later 2026-11-16 7 withheld",
                ])
        }
    }

    @Test("versions are those of the released table, the newest of which many have")
    func versions() async throws {
        try await DonatedData.run { data in
            // Few have 4.0 yet; they count with the others.
            for (count, version) in [
                (30, "4.0.0"), (3_000, "3.10.1"), (3_000, "3.10.0"), (2_000, "3.9.2"), (1_500, "3.2.0"), (470, "2.8.1"),
            ] {
                try await data.clients(count, version: version)
            }
            try await data.clients(900, platform: 1, version: "3.10.0")
            // Without the table there is nothing to compute from.
            try await data.releaseFigures()
            #expect(try await data.database.released(.appVersions) == [])
            _ = try await data.release()
            try await data.releaseFigures()
            #expect(
                try await data.database.released(.appVersions) == [
                    "app-versions android-newest 2026-11-16 7 withheld",
                    "app-versions android-older 2026-11-16 7 withheld",
                    "app-versions android-previous 2026-11-16 7 withheld", "app-versions ios-newest 2026-11-16 7 60",
                    "app-versions ios-older 2026-11-16 7 20", "app-versions ios-previous 2026-11-16 7 20",
                ])
        }
    }

    @Test("a week is released when its last hour is folded, and one with a missing hour never")
    func complete() async throws {
        try await DonatedData.run(hours: 167) { data in
            try await data.risks(1_000, level: 3, changed: true)
            try await data.releaseFigures()
            #expect(try await data.release() == 0)
            #expect(try await data.database.released(.donatedWarnings, .shareTested, .resultDelay) == [])
            try await data.foldHours(167..<168)
            try await data.releaseFigures()
            #expect(try await data.release() == DonatedTable.allCases.count)
            #expect(try await data.database.released(.donatedWarnings, .shareTested, .resultDelay).count == 10)
        }
    }

    @Test("noise hides a person's week, is drawn once for each count, and before the threshold")
    func noise() async throws {
        try await DonatedData.run { data in
            try await data.risks(95, level: 3, changed: true)
            let drawn = DrawnUnits()
            try await data.releaseFigures(
                CountNoise {
                    drawn.note($0); return 30
                })
            #expect(drawn.units.sorted() == [8, 8, 16, 16, 16, 16, 16, 16, 16, 16])
            let released = try await data.database.released(.donatedWarnings)
            #expect(released.first == "donated-warnings encounters 2026-11-16 7 130")
            try await data.releaseFigures(.random)
            #expect(try await data.database.released(.donatedWarnings) == released)
        }
    }

    @Test("what a person can add in a week is what an app may donate")
    func limits() {
        let hour = Date(timeIntervalSince1970: 1_795_525_200)
        let pause =
            (0..<3600).map { second in
                let now = hour.addingTimeInterval(Double(second))
                return Int((Purpose.analytics.nextTurn(after: now) ?? now).hourNumber - now.hourNumber)
            }.min() ?? 0
        // A share may be had again in the hour of the next turn: hours 0, 23, 46, … of 168.
        #expect((168 - 1) / pause + 1 == DonorWeek.donations)
        #expect(AnalyticsData.mostTests * DonorWeek.donations == DonorWeek.tests)
        #expect(AnalyticsData.mostSubmissions * DonorWeek.donations == DonorWeek.submissions)
    }
}
