import ExposureKeys
import Foundation
import TestSupport
import Venues

@testable import SubmissionServer

/// A day of uploads at a country's real rate, as only the test knows them; the same seed gives the same.
struct SimulatedDay: Sendable {
    struct Upload: Sendable {
        let moment: Date
        /// In the order in which the phone sends them.
        let keys: [DiagnosisKey]
        let reports: [CheckInReport]
        /// Of an app that reports in Apple's form; then there are no others.
        let visits: [SimulatedVisits.Visit]

        var hour: Hour { Hour(containing: moment) }
        /// Whether it came in the first half of its hour.
        var isEarly: Bool { moment.timeIntervalSince(hour.start) < 1800 }
        /// As the front door hands it on.
        var content: UploadContent {
            UploadContent(
                keys: keys.sorted(), reports: reports.sorted(), venueReports: visits.map(\.report).sorted())
        }
    }

    struct Hourly: Sendable {
        let hour: Hour
        let uploads: [Upload]
    }

    /// One after the other, each with its uploads in the order in which they came.
    let hours: [Hourly]

    var uploads: [Upload] { hours.flatMap(\.uploads) }

    /// Seconds from one upload to the next: 2,160 a day.
    private static let interval = 40

    init(_ day: Day, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        hours = (day.firstHour...day.lastHour).map { hour in
            let seconds = stride(from: Self.interval / 2, to: 3600, by: Self.interval)
            return Hourly(hour: hour, uploads: seconds.map { Self.upload(in: hour, second: $0, using: &random) })
        }
    }

    /// Keys of the model; every other upload also has reports of the Corona-Warn-App, each of the others reports in Apple's form.
    private static func upload(in hour: Hour, second: Int, using random: inout SeededGenerator) -> Upload {
        let model = UploadModel()
        let keys = model.keys(uploadedIn: hour, using: &random).map { key in
            // A phone gives the key of the day away as it uploads, so that the key's period ends at that moment.
            key.rollingPeriod.start == hour.day.firstInterval
                ? key.lasting(UInt32(hour.ofDay) * 6 + UInt32(second) / 600 + 1) : key
        }
        let reportsLikeApple = Bool.random(using: &random)
        return Upload(
            moment: hour.start.addingTimeInterval(Double(second)), keys: keys,
            reports: reportsLikeApple ? [] : VisitModel().reports(using: &random),
            visits: reportsLikeApple ? SimulatedVisits.ofPerson(in: hour, using: &random) : [])
    }
}

extension DiagnosisKey {
    /// The same key, told to have been in use for a number of intervals.
    fileprivate func lasting(_ length: UInt32) -> DiagnosisKey {
        DiagnosisKey(
            data: data, rollingPeriod: RollingPeriod(start: rollingPeriod.start, length: length) ?? rollingPeriod,
            transmissionRiskLevel: transmissionRiskLevel, daysSinceOnsetOfSymptoms: daysSinceOnsetOfSymptoms,
            reportType: reportType)
    }
}
