/// The 16 random bytes of a temporary exposure key.
package struct KeyData: Hashable, Comparable, Sendable {
    /// Exactly 16 bytes.
    package let bytes: [UInt8]

    /// Bytes of a key.
    package static let count = 16

    /// Nil unless there are exactly 16 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// Unsigned and lexicographic, as exported keys are ordered (Corona-Warn-App sheet, 5.3).
    package static func < (left: KeyData, right: KeyData) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

/// A temporary exposure key that somebody who tested positive chose to share, after validation and normalisation.
///
/// It is `Comparable` by metadata first and key data second: an order that is a function of content alone, so it tells
/// nothing about who uploaded which keys together, and it compresses best (design decision 11).
package struct DiagnosisKey: Hashable, Sendable {
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
}

extension DiagnosisKey: Comparable {
    package static func < (left: DiagnosisKey, right: DiagnosisKey) -> Bool {
        let leftMetadata = left.metadata
        let rightMetadata = right.metadata
        return leftMetadata == rightMetadata ? left.data < right.data : leftMetadata < rightMetadata
    }

    private typealias Metadata = (UInt32, UInt32, Int, Int32, Int)

    private var metadata: Metadata {
        (
            rollingPeriod.start.rawValue, rollingPeriod.length, transmissionRiskLevel.rawValue,
            daysSinceOnsetOfSymptoms.rawValue, reportType.rawValue
        )
    }
}

/// How the diagnosis came about (`ReportType` of the export schema, numbers as on the wire).
package enum ReportType: Int, Hashable, Sendable, CaseIterable {
    case unknown = 0
    case confirmedTest = 1
    case confirmedClinicalDiagnosis = 2
    case selfReport = 3
    case recursive = 4
    case revoked = 5
}
