package import ExposureKeys
package import FoundationEssentials

/// What has to be right before an app says anything about risk (cwa-app-android and cwa-app-ios).
package struct RiskPreconditions: Hashable, Sendable {
    /// The phone's clock minus the server's, in seconds.
    package let clockOffset: Double
    /// Whether the phone broadcasts and scans.
    package let isTracing: Bool
    /// The end of the day or hour of the latest package of keys, whenever it was fetched; nil if there is none.
    package let lastPackage: Date?

    /// What the app knows now.
    package init(clockOffset: Double, isTracing: Bool, lastPackage: Date?) {
        self.clockOffset = clockOffset
        self.isTracing = isTracing
        self.lastPackage = lastPackage
    }

    /// Whether a calculation at an instant can be shown.
    package func hold(at now: Date) -> Bool {
        guard let lastPackage else { return false }
        return isTracing && abs(clockOffset) < Self.clockTolerance
            && now.timeIntervalSince(lastPackage) <= Self.longestSilence
    }

    /// Two hours, which are too much already (cwa-app-android, `ConfigData.DEVICE_TIME_GRACE_RANGE`).
    private static let clockTolerance = 7200.0
    /// 48 hours (cwa-app-android, `RiskLevelTask.kt`).
    private static let longestSilence = 172_800.0
}

/// What an app shows its owner: encounters and visits to venues together.
package enum RiskCard: Hashable, Sendable {
    /// A precondition isn't met, so that "low" could be wrong.
    case unknown
    /// One of the two calculations failed.
    case failed
    case low
    case high

    /// - Parameters:
    ///   - exposures: nil if they couldn't be judged.
    ///   - venues: nil if visits couldn't be judged.
    package init(
        exposures: RiskLevel?, venues: RiskLevel?, _ preconditions: RiskPreconditions, at now: Date
    ) {
        guard preconditions.hold(at: now) else {
            self = .unknown
            return
        }
        guard let exposures, let venues else {
            self = .failed
            return
        }
        self = [exposures, venues].contains(.high) ? .high : .low
    }
}
