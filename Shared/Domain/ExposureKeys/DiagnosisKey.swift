/// A temporary exposure key that somebody who tested positive chose to share, after validation and normalisation.
///
/// It is `Comparable` by metadata first and key data second: an order that is a function of content alone, so it tells
/// nothing about who uploaded which keys together, and it compresses best (design decision 11).
package struct DiagnosisKey: Hashable, Sendable, BitwiseCopyable {
    /// What phones compute broadcasts from, and so recognise them by.
    package let data: KeyData
    /// When the key was in use. Uploaded keys begin at midnight UTC; ``UploadRules`` sees to it.
    package let rollingPeriod: RollingPeriod
    /// As uploaded, or derived from the days since onset.
    package let transmissionRiskLevel: TransmissionRiskLevel
    /// As uploaded, or derived from the risk level.
    package let daysSinceOnsetOfSymptoms: DaysSinceOnset
    /// As uploaded; a key that came without one counts as a confirmed test (Corona-Warn-App sheet, 4.4).
    package let reportType: ReportType

    /// A key as its parts, each of which is valid by its type.
    package init(
        data: KeyData, rollingPeriod: RollingPeriod, transmissionRiskLevel: TransmissionRiskLevel,
        daysSinceOnsetOfSymptoms: DaysSinceOnset, reportType: ReportType
    ) {
        self.data = data
        self.rollingPeriod = rollingPeriod
        self.transmissionRiskLevel = transmissionRiskLevel
        self.daysSinceOnsetOfSymptoms = daysSinceOnsetOfSymptoms
        self.reportType = reportType
    }

    /// The same key with a period of whole hours, as it is folded and published.
    ///
    /// The key of the day itself ends when the phone gives it away, which is when it uploads: the period as it was sent
    /// would tell the upload's moment to ten minutes for good. Phones don't mind intervals in which nobody broadcast, and the
    /// embargo counts from the end of the longer period.
    package var inWholeHours: DiagnosisKey {
        let hours = (rollingPeriod.length + Self.perHour - 1) / Self.perHour
        guard let period = RollingPeriod(start: rollingPeriod.start, length: hours * Self.perHour) else { return self }
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: transmissionRiskLevel,
            daysSinceOnsetOfSymptoms: daysSinceOnsetOfSymptoms, reportType: reportType)
    }

    /// Intervals of ten minutes.
    private static let perHour: UInt32 = 6
}

extension DiagnosisKey: Comparable {
    package static func < (left: DiagnosisKey, right: DiagnosisKey) -> Bool {
        let leftMetadata = left.packedMetadata
        let rightMetadata = right.packedMetadata
        return leftMetadata == rightMetadata ? left.data < right.data : leftMetadata < rightMetadata
    }

    /// Rolling start, rolling period, risk level, days since onset and report type, in this order, as one integer:
    /// sorting an hour's keys compares them some ten million times.
    ///
    /// 32 bits, 8, 4, 16 and 4; each fits by its own type.
    private var packedMetadata: UInt64 {
        UInt64(rollingPeriod.start.rawValue) << 32 | UInt64(rollingPeriod.length) << 24
            | UInt64(transmissionRiskLevel.rawValue) << 20
            | UInt64(daysSinceOnsetOfSymptoms.rawValue - DaysSinceOnset.range.lowerBound) << 4
            | UInt64(reportType.rawValue)
    }
}

/// How the diagnosis came about (`ReportType` of the export schema, numbers as on the wire).
package enum ReportType: Int, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case unknown = 0
    case confirmedTest = 1
    case confirmedClinicalDiagnosis = 2
    case selfReport = 3
    case recursive = 4
    case revoked = 5
}
