import ExposureKeys
import Foundation
import Phone

/// A key for an upload that changes nothing for anybody.
///
/// No phone can match it: it was made a moment ago, and nobody broadcasts with it. Its level is below the lowest that is published,
/// unless VIGIL_LOWEST_RISK_LEVEL is 1. The fold doesn't count such a key as one of the hour's, so packages keep their size; distribution
/// and federation leave it out. Its day is almost two weeks ago, so it leaves the database within two days.
enum SmokeKey {
    /// A new one.
    static func fresh(at now: Date) throws -> DiagnosisKey {
        let day = Day(containing: now).advanced(by: 1 - Phone.daysKept)
        guard let key = Phone(at: now).keys.first(where: { $0.day == day }),
            let period = RollingPeriod(start: day.firstInterval, length: IntervalNumber.perDay)
        else { throw Unmet("a phone should have a key of \(day.name)") }
        return DiagnosisKey(
            data: key.data, rollingPeriod: period, transmissionRiskLevel: .lowest,
            daysSinceOnsetOfSymptoms: DaysSinceOnset(derivedFrom: .lowest), reportType: .confirmedTest)
    }
}
