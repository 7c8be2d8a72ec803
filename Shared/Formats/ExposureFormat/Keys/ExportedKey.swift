package import ExposureKeys

/// A diagnosis key in a published file.
///
/// It holds nothing that the person said beyond what the risk needs: days since onset and report type encode the transmission
/// risk level, because operating systems pass only those two on to apps (`ExposureWindow`):
/// https://developers.google.com/android/reference/com/google/android/gms/nearby/exposurenotification/ExposureWindow
package struct ExportedKey: Hashable, Sendable {
    /// The key.
    package let data: KeyData
    /// When the key was in use.
    package let rollingPeriod: RollingPeriod
    /// The person's estimated infectiousness; the lowest if another server's file omits it.
    package let transmissionRiskLevel: TransmissionRiskLevel
    /// In Vigil's files derived from the level; not the reported type. Unknown if another server's file omits it.
    package let reportType: ReportType
    /// In Vigil's files derived from the level; nil if another server's file omits it.
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

    /// A key to be published.
    package init(_ key: DiagnosisKey) {
        data = key.data
        rollingPeriod = key.rollingPeriod
        transmissionRiskLevel = key.transmissionRiskLevel
        reportType = Self.reportType(forLevel: key.transmissionRiskLevel.rawValue)
        daysSinceOnsetOfSymptoms = Self.infectiousness(forLevel: key.transmissionRiskLevel.rawValue)
    }

    /// Levels 1 and 2, 3 and 4, 5 and 6, 7 and 8 share a report type.
    static func reportType(forLevel level: Int) -> ReportType {
        if level <= 2 { return .recursive }
        if level <= 4 { return .selfReport }
        if level <= 6 { return .confirmedClinicalDiagnosis }
        return .confirmedTest
    }

    /// Distinguishes the two levels of a report type: apps map day 1 to standard and day 2 to high infectiousness.
    static func infectiousness(forLevel level: Int) -> Int32 {
        level.isMultiple(of: 2) ? 2 : 1
    }
}
