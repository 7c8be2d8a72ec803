import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import TestSupport
import Testing
import Venues

@testable import SubmissionServer

/// The fold of reports in Apple's form.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct VenueFoldTests {
    private static let hour = Samples.hour
    private static let next = hour.advanced(by: 1)

    /// All of an hour, in the order of the table's pages.
    private static func reports(of stage: FoldStage, in hour: Hour) async throws -> [VenueReport] {
        try await stage.asSuperuser { session in
            try session.rows(
                "SELECT report FROM submission.venue_report WHERE hour = \(hour.number) ORDER BY tableoid, ctid",
                as: [UInt8].self)
        }.compactMap { VenueReport($0) }
    }

    @Test("venue reports come out, each once, in the order of their bytes, also when they come again another day")
    func complete() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.content(0..<2, venueReports: 0..<5))
            try await stage.upload(try Samples.content(venueReports: 3..<8))
            let report = try await stage.fold(before: Self.next)
            #expect(report == Fold.Report(lastHour: Self.hour.number, uploads: [2], keys: 2, venueReports: 8))
            let folded = try await Self.reports(of: stage, in: Self.hour)
            #expect(folded == folded.sorted())
            #expect(folded.filter(Samples.isSample) == (try Samples.venueReports(0..<8).sorted()))
            #expect(stage.metrics.text.contains("folded_venue_reports_total 8"))

            stage.clock.advance(by: 86_400)
            try await stage.foldNow()
            try await stage.upload(try Samples.content(venueReports: 6..<9))
            #expect(try await stage.fold(before: Self.next.advanced(by: 24)).venueReports == 1)
        }
    }

    @Test("an upload with reports of both kinds fills both tables")
    func bothKinds() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.content(0..<14, reports: 0..<36, venueReports: 0..<64))
            let report = try await stage.fold(before: Self.next)
            #expect(
                report
                    == Fold.Report(
                        lastHour: Self.hour.number, uploads: [1], keys: 14, reports: 36, venueReports: 64))
            #expect(try await Self.reports(of: stage, in: Self.hour).filter(Samples.isSample).count == 64)
            let checkIns = try await stage.count(
                "SELECT count(*) FROM submission.check_in_report WHERE hour = \(Self.hour.number)")
            #expect(checkIns == 140)
        }
    }

    @Test(
        "an hour has as many venue reports as a size class, and nothing in a row tells a filler",
        arguments: [0, 5, 200])
    func filled(count: Int) async throws {
        try await FoldStage.run { stage in
            for first in stride(from: 0, to: count, by: 100) {
                try await stage.upload(try Samples.content(venueReports: first..<min(count, first + 100)))
            }
            try await stage.fold(before: Self.next)
            let folded = try await Self.reports(of: stage, in: Self.hour)
            #expect(folded.count == (count > 140 ? 218 : 140))
            #expect(folded == folded.sorted() && Set(folded).count == folded.count)
            #expect(try await stage.count("SELECT count(DISTINCT xmin::text) FROM submission.venue_report") == 1)
            #expect(try await stage.count("SELECT count(DISTINCT cmin::text) FROM submission.venue_report") == 1)
            // Every position of a filler has every value: no byte of it is constant.
            let fillers = folded.filter { !Samples.isSample($0) }
            guard fillers.count > 100 else { return }
            for position in 0..<VenueReport.count { #expect(Set(fillers.map { $0.bytes[position] }).count > 30) }
        }
    }
}
