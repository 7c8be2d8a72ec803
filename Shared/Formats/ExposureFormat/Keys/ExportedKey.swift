package import ExposureKeys

/// A diagnosis key as it stands in a published file.
///
/// Everything the person said that isn't needed for the risk is gone: days since onset and report type carry the
/// transmission risk level and nothing else, because the phones' operating systems hand on those two only
/// (Corona-Warn-App sheet, 5.3).
package struct ExportedKey: Hashable, Sendable {
    /// The key.
    package let data: KeyData
    /// When the key was in use.
    package let rollingPeriod: RollingPeriod
    /// How contagious the person probably was.
    package let transmissionRiskLevel: TransmissionRiskLevel
    /// In our files a function of the level, and not what was reported.
    package let reportType: ReportType
    /// In our files a function of the level; nil if a file, not one of ours, leaves it out.
    package let daysSinceOnsetOfSymptoms: Int32?

    /// A key of a file that was read.
    package init(
        data: KeyData, rollingPeriod: RollingPeriod, transmissionRiskLevel: TransmissionRiskLevel,
        reportType: ReportType, daysSinceOnsetOfSymptoms: Int32?
    ) {
        self.data = data
        self.rollingPeriod = rollingPeriod
        self.transmissionRiskLevel = transmissionRiskLevel
        self.reportType = reportType
        self.daysSinceOnsetOfSymptoms = daysSinceOnsetOfSymptoms
    }

    /// A key that is to be published.
    package init(_ key: DiagnosisKey) {
        data = key.data
        rollingPeriod = key.rollingPeriod
        transmissionRiskLevel = key.transmissionRiskLevel
        reportType = Self.reportType(forLevel: key.transmissionRiskLevel.rawValue)
        daysSinceOnsetOfSymptoms = Self.infectiousness(forLevel: key.transmissionRiskLevel.rawValue)
    }

    /// Levels 1 and 2, 3 and 4, 5 and 6, 7 and 8 share a report type…
    static func reportType(forLevel level: Int) -> ReportType {
        if level <= 2 { return .recursive }
        if level <= 4 { return .selfReport }
        if level <= 6 { return .confirmedClinicalDiagnosis }
        return .confirmedTest
    }

    /// …and this tells the two apart: the apps map day 1 to standard, day 2 to high infectiousness.
    static func infectiousness(forLevel level: Int) -> Int32 {
        level.isMultiple(of: 2) ? 2 : 1
    }
}
