import ExposureFormat
import ExposureKeys
import Foundation
import Schema
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .heavy, .timeLimit(.minutes(15)))
struct ReportPublishingTests {
    private static let noon = Samples.noon
    private static let index = "version/v2/twp/country/DE/hour/index"

    @Test("fewer than 140 reports wait; 140 are published, sorted by content")
    func threshold() async throws {
        try await PublishingStage.run { stage in
            try await stage.fold(Self.noon, [DiagnosisKey]())
            try await stage.fold(Self.noon, try Samples.reports(0..<139).shuffled())
            try await stage.publish(through: Self.noon)
            #expect(try stage.reports(of: Self.noon) == nil)
            #expect(try stage.files()[Self.index] == Data(#"{"oldest":null,"latest":null}"#.utf8))

            let next = Self.noon.advanced(by: 1)
            try await stage.fold(next, [DiagnosisKey]())
            try await stage.fold(next, try Samples.reports(139..<140))
            let report = try await stage.publish(through: next)
            #expect(report.newReports == 140)
            #expect(try stage.reports(of: next) == Samples.reports(0..<140).sorted())
            let bounds = #"{"oldest":\#(next.number),"latest":\#(next.number)}"#
            #expect(try stage.files()[Self.index] == Data(bounds.utf8))
        }
    }

    @Test("an hour without reports between two with reports is an empty object, and indexes name existing objects only")
    func between() async throws {
        try await PublishingStage.run { stage in
            let hours = (0..<6).map { Self.noon.advanced(by: $0) }
            for (offset, hour) in hours.enumerated() {
                try await stage.fold(hour, [DiagnosisKey]())
                if offset == 1 || offset == 4 {
                    try await stage.fold(hour, try Samples.reports(offset * 1000..<offset * 1000 + 150))
                }
                try await stage.publish(through: hour)
                let files = try stage.files()
                #expect(try Set(files.keys) == files.named())
            }
            #expect(try hours.map { try stage.reports(of: $0)?.count } == [nil, 150, 0, 0, 150, nil])
            #expect(try stage.files()["version/v2/twp/country/DE/hour/\(hours[2].number)"] == Data())
            #expect(
                try stage.files()["version/v1/twp/country/DE/hour/index"]
                    == Data(#"{"oldest":null,"latest":null}"#.utf8))
        }
    }

    @Test("any grouping of the same reports over the same hour gives the same bytes")
    func order() async throws {
        try await PublishingStage.run { stage in
            let reports = try Samples.reports(0..<200)
            let package = ReportPackage(hour: Self.noon, region: "DE", reports: reports)
            let bytes = try package.encoded()
            for _ in 0..<20 {
                let other = ReportPackage(hour: Self.noon, region: "DE", reports: reports.shuffled())
                #expect(try other.encoded() == bytes)
            }
            #expect(ReportPackage(bytes) == package)
            #expect(ReportPackage([8]) == nil)
        }
    }

    @Test("reports are offered for 14 days; a lost tree is rebuilt byte for byte, except for expired reports")
    func retention() async throws {
        try await PublishingStage.run { stage in
            let first = Samples.day.firstHour
            let now = Samples.day.advanced(by: 16).firstHour.advanced(by: 3)
            try await stage.foldEmpty(first...now)
            for day in 0..<16 {
                let hour = Samples.day.advanced(by: day).firstHour.advanced(by: 9)
                try await stage.fold(hour, try Samples.reports(day * 1000..<day * 1000 + 140 + day))
            }
            try await stage.publish(through: now)
            let oldest = now.advanced(by: -14 * 24 + 1)
            #expect(try stage.files().reportHours().allSatisfy { $0 >= oldest.number })
            #expect(try stage.reports(of: Samples.day.advanced(by: 1).firstHour.advanced(by: 9)) == nil)
            #expect(try stage.reports(of: Samples.day.advanced(by: 2).firstHour.advanced(by: 9))?.count == 142)

            let tree = try stage.files()
            try stage.removeTree()
            try await stage.publish(through: now)
            let isSame = try stage.files() == tree
            #expect(isSame)
            #expect(try await stage.publish(through: now).changes == 0)

            _ = try await Retention.apply(.fold, at: now.advanced(by: 48).end, in: stage.superuser)
            try stage.removeTree()
            try await stage.publish(through: now)
            let thinner = try stage.files()
            #expect(try Set(thinner.keys) == thinner.named())
            #expect(try stage.reports(of: Samples.day.advanced(by: 3).firstHour.advanced(by: 9)) == nil)
            #expect(try stage.reports(of: Samples.day.advanced(by: 5).firstHour.advanced(by: 9))?.count == 145)
        }
    }
}
