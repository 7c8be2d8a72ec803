/// A temporary exposure key that somebody who tested positive chose to share, after validation and normalisation.
///
/// Keys are ordered by metadata first and key data second. The order depends on content alone, so it doesn't reveal which keys
/// were uploaded together, and it compresses best.
package struct DiagnosisKey: Hashable, Sendable, BitwiseCopyable {
    /// The secret from which phones derive broadcasts, and by which others recognise them.
    package let data: KeyData
    /// When the key was in use. Uploaded keys begin at midnight UTC; ``UploadRules`` checks that.
    package let rollingPeriod: RollingPeriod
    /// The level as uploaded, or derived from the days since onset.
    package let transmissionRiskLevel: TransmissionRiskLevel
    /// The days as uploaded, or derived from the risk level.
    package let daysSinceOnsetOfSymptoms: DaysSinceOnset
    /// The type as uploaded; a confirmed test if the upload had none.
    package let reportType: ReportType

    /// A key from parts that are valid by their types.
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
    /// The current day's key ends when the phone uploads it, so the original period would reveal the time of the upload to ten
    /// minutes. A longer period does no harm: phones find no broadcasts in its last intervals, and the embargo counts from its
    /// end.
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
    /// sorting an hour's keys takes some ten million comparisons.
    ///
    /// 32 bits, 8, 4, 16 and 4; the types guarantee that each value fits.
    private var packedMetadata: UInt64 {
        UInt64(rollingPeriod.start.rawValue) << 32 | UInt64(rollingPeriod.length) << 24
            | UInt64(transmissionRiskLevel.rawValue) << 20
            | UInt64(daysSinceOnsetOfSymptoms.rawValue - DaysSinceOnset.range.lowerBound) << 4
            | UInt64(reportType.rawValue)
    }
}

/// How the diagnosis was made (`ReportType` of the export schema, with its numbers).
package enum ReportType: Int, Codable, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case unknown = 0
    case confirmedTest = 1
    case confirmedClinicalDiagnosis = 2
    case selfReport = 3
    case recursive = 4
    case revoked = 5
}
