import SwiftProtobuf

/// A test that the app knows of, and the risk that it showed when the test was registered (cwa-ppa-server, `PPATestResultMetadata`).
package struct DonatedTestResult: Hashable, Sendable {
    /// What is known of the result.
    package var result: Result
    /// From registration to result, or to the donation if there is none.
    package var hoursSinceRegistration: Int16?
    /// From encounters.
    package var encounters: RiskAtRegistration
    /// From visits to venues.
    package var visits: RiskAtRegistration
    /// The encounters before the registration, ``AnalyticsData/mostWindows`` at most.
    package var windowsAtRegistration: [DonatedWindow]
    /// Those between registration and result, as many at most.
    package var windowsUntilResult: [DonatedWindow]

    /// In the numbers of the wire.
    package enum Result: Int16, Hashable, Sendable, CaseIterable {
        /// An app sends no such.
        case unknown
        /// A PCR test without a result.
        case pcrPending
        /// A PCR test.
        case pcrNegative
        /// A PCR test.
        case pcrPositive
        /// A PCR test that has to be repeated.
        case pcrInvalid
        /// A rapid test without a result.
        case rapidPending
        /// A rapid test.
        case rapidNegative
        /// A rapid test.
        case rapidPositive
        /// A rapid test that has to be repeated.
        case rapidInvalid
    }

    /// A report from its parts.
    package init(
        _ result: Result, hoursSinceRegistration: Int16?, encounters: RiskAtRegistration = RiskAtRegistration(),
        visits: RiskAtRegistration = RiskAtRegistration(), windowsAtRegistration: [DonatedWindow] = [],
        windowsUntilResult: [DonatedWindow] = []
    ) {
        self.result = result
        self.hoursSinceRegistration = hoursSinceRegistration
        self.encounters = encounters
        self.visits = visits
        self.windowsAtRegistration = windowsAtRegistration
        self.windowsUntilResult = windowsUntilResult
    }
}

/// The risk that an app showed when a test was registered.
package struct RiskAtRegistration: Hashable, Sendable {
    /// The level.
    package var level: DonatedRiskLevel
    /// Since the last day with this level; nil if there was none.
    package var days: Int16?
    /// Since the app warned; nil if it didn't.
    package var hoursSinceWarning: Int16?

    /// A risk from its parts.
    package init(_ level: DonatedRiskLevel = .unknown, days: Int16? = nil, hoursSinceWarning: Int16? = nil) {
        self.level = level
        self.days = days
        self.hoursSinceWarning = hoursSinceWarning
    }
}

extension DonatedTestResult {
    init(_ wire: WireTestResult) throws(DonationFlaw) {
        self.init(
            try wire.result.value(), hoursSinceRegistration: Elapsed(wire.hoursSinceTestRegistration).count,
            encounters: RiskAtRegistration(
                try wire.riskLevelAtTestRegistration.value(),
                days: Elapsed(wire.daysSinceMostRecentDateAtRiskLevel).count,
                hoursSinceWarning: Elapsed(wire.hoursSinceHighRiskWarning).count),
            visits: RiskAtRegistration(
                try wire.checkInRiskLevelAtTestRegistration.value(),
                days: Elapsed(wire.checkInDaysSinceMostRecentDateAtRiskLevel).count,
                hoursSinceWarning: Elapsed(wire.checkInHoursSinceHighRiskWarning).count))
        windowsAtRegistration = try Self.windows(wire.exposureWindowsAtTestRegistration)
        windowsUntilResult = try Self.windows(wire.exposureWindowsUntilTestResult)
    }

    private static func windows(_ wire: [WireExposureWindow]) throws(DonationFlaw) -> [DonatedWindow] {
        guard wire.count <= AnalyticsData.mostWindowsSent else { throw .data }
        var windows: [DonatedWindow] = []
        for window in wire.prefix(AnalyticsData.mostWindows) { windows.append(try DonatedWindow(window)) }
        return windows
    }

    var wire: WireTestResult {
        .with {
            $0.result = WireTestResult.Result(rawValue: Int(result.rawValue)) ?? .init()
            $0.hoursSinceTestRegistration = Elapsed(hoursSinceRegistration).wire
            $0.riskLevelAtTestRegistration = encounters.level.wire
            $0.daysSinceMostRecentDateAtRiskLevel = Elapsed(encounters.days).wire
            $0.hoursSinceHighRiskWarning = Elapsed(encounters.hoursSinceWarning).wire
            $0.checkInRiskLevelAtTestRegistration = visits.level.wire
            $0.checkInDaysSinceMostRecentDateAtRiskLevel = Elapsed(visits.days).wire
            $0.checkInHoursSinceHighRiskWarning = Elapsed(visits.hoursSinceWarning).wire
            $0.exposureWindowsAtTestRegistration = windowsAtRegistration.map(\.wire)
            $0.exposureWindowsUntilTestResult = windowsUntilResult.map(\.wire)
        }
    }
}
