package import ExposureKeys

/// How the operating system reads published keys, by the health authority's configuration (`DiagnosisKeysDataMapping` of the app
/// configuration for Android, `ExposureConfiguration` for iOS).
package struct KeyMapping: Codable, Hashable, Sendable {
    /// By days since onset, -14 to 14. A day that isn't in it is a day without infection.
    package let infectiousness: [Int32: Infectiousness]
    /// Where a key has no days since onset, or others than -14 to 14; nil if such a key counts nothing.
    package let infectiousnessWhenMissing: Infectiousness?
    /// Where a key has no report type.
    package let reportTypeWhenMissing: ReportType

    /// A mapping from its parts.
    package init(
        infectiousness: [Int32: Infectiousness], infectiousnessWhenMissing: Infectiousness?,
        reportTypeWhenMissing: ReportType
    ) {
        self.infectiousness = infectiousness
        self.infectiousnessWhenMissing = infectiousnessWhenMissing
        self.reportTypeWhenMissing = reportTypeWhenMissing
    }

    /// What an app is shipped with: Corona-Warn-App's last one, as in `deploy/static`. A file's days since onset carry the lower half of the
    /// transmission risk level.
    package static let shipped = KeyMapping(
        infectiousness: [1: .standard, 2: .high], infectiousnessWhenMissing: nil, reportTypeWhenMissing: .confirmedTest)

    /// How infectious the person was; nil if the key counts nothing.
    package func infectiousness(of daysSinceOnset: Int32?) -> Infectiousness? {
        guard let daysSinceOnset, Self.days.contains(daysSinceOnset) else { return infectiousnessWhenMissing }
        return infectiousness[daysSinceOnset]
    }

    /// What a report counts as: where a key has no type, the configured one.
    package func resolved(_ published: ReportType) -> ReportType {
        published == .unknown ? reportTypeWhenMissing : published
    }

    /// What apps are told of a report; nil if the operating system keeps it from them.
    ///
    /// A revoked diagnosis reaches no app, and a recursive one none on Android (google/exposure-notifications-internals,
    /// `enableRecursiveTekReportType`).
    package func reportType(of published: ReportType, on platform: Platform) -> ReportType? {
        switch resolved(published) {
        case .unknown, .revoked: nil
        case .recursive: platform == .iOS ? .recursive : nil
        case let type: type
        }
    }

    private static let days: ClosedRange<Int32> = -14...14
}

extension ReportType {
    /// Whether a later file may turn a report of this type into one of another (google/exposure-notifications-internals,
    /// `ExposureMatchingTracer`): a diagnosis gets more certain, or is taken back.
    package func mayBecome(_ later: ReportType) -> Bool {
        switch self {
        case .selfReport: [.confirmedTest, .confirmedClinicalDiagnosis, .revoked].contains(later)
        case .confirmedClinicalDiagnosis: [.confirmedTest, .revoked].contains(later)
        default: false
        }
    }
}
