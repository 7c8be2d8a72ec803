package import ExposureKeys
package import FoundationEssentials

/// What exposure windows amount to, by the health authority's rules.
///
/// The calculation is that of both published apps (cwa-app-android, `DefaultRiskLevels.kt`; cwa-app-ios, `RiskCalculation.swift`). They differ
/// in one rounding, which decides at the limits, and in the days whose encounters they count.
package struct ExposureRisk: Hashable, Sendable {
    /// A UTC day of low or high risk.
    package struct DayRisk: Hashable, Sendable {
        /// On which the windows began.
        package let day: Day
        /// Of all windows of the day together: it may be high while none of them is.
        package let level: RiskLevel
        /// Minutes near others, weighted by attenuation and by the others' transmission risk level.
        package let normalizedMinutes: Double
        /// At least so many people were met in windows of low risk.
        package let lowEncounters: Int
        /// The same for high risk.
        package let highEncounters: Int
    }

    /// In the order of days.
    package let days: [DayRisk]

    /// On days without a level.
    private let otherLowEncounters, otherHighEncounters: Int

    /// Judges windows.
    /// - Parameter platform: whose app judges. Android's rounds a day's minutes to tenths, and counts encounters only on days with a level;
    ///   the other does neither.
    package init(_ windows: [ExposureWindow], by rules: RiskRules, at now: Date, on platform: Platform) {
        let oldest = Day(containing: now).advanced(by: -rules.maximumDays).number
        var judged: [JudgedWindow] = []
        judged.reserveCapacity(windows.count)
        for window in windows where window.day.number >= oldest {
            if let window = rules.judge(window) { judged.append(window) }
        }
        // In order, so that a sum doesn't depend on that of the windows.
        judged.sort { $0.day == $1.day ? $0.normalizedMinutes < $1.normalizedMinutes : $0.day < $1.day }
        var days: [DayRisk] = []
        var (otherLow, otherHigh) = (0, 0)
        var rest = judged[...]
        while let day = rest.first?.day {
            let windows = rest.prefix { $0.day == day }
            rest = rest.dropFirst(windows.count)
            var minutes = windows.reduce(0) { $0 + $1.normalizedMinutes }
            if platform == .android { minutes = (minutes * 10).rounded() / 10 }
            let low = JudgedWindow.encounters(in: windows, of: .low)
            let high = JudgedWindow.encounters(in: windows, of: .high)
            if let level = rules.perDay.level(of: minutes) {
                days.append(
                    DayRisk(
                        day: Day(number: day), level: level, normalizedMinutes: minutes, lowEncounters: low,
                        highEncounters: high))
            } else if platform == .iOS {
                otherLow += low
                otherHigh += high
            }
        }
        self.days = days
        (otherLowEncounters, otherHighEncounters) = (otherLow, otherHigh)
    }

    /// High if any day is, otherwise low, also without any encounter.
    package var level: RiskLevel { days.contains { $0.level == .high } ? .high : .low }

    /// The last day of a level; nil if there is none.
    package func mostRecentDay(of level: RiskLevel) -> Day? { days.last { $0.level == level }?.day }

    /// The number of days of a level.
    package func numberOfDays(of level: RiskLevel) -> Int { days.count { $0.level == level } }

    /// At least so many people were met in windows of a level: on the days of risk, by the rules of iOS on all days.
    package func encounters(of level: RiskLevel) -> Int {
        switch level {
        case .low: days.reduce(otherLowEncounters) { $0 + $1.lowEncounters }
        case .high: days.reduce(otherHighEncounters) { $0 + $1.highEncounters }
        }
    }
}

/// A window that counts.
private struct JudgedWindow {
    /// The number of its day.
    let day: Int32
    let normalizedMinutes: Double
    let level: RiskLevel
    let transmissionRiskLevel: Int
    let calibrationConfidence: CalibrationConfidence

    /// What tells people apart, as far as windows do, is the risk level of their keys and the confidence of their phones.
    static func encounters(in windows: ArraySlice<JudgedWindow>, of level: RiskLevel) -> Int {
        var traces: Set<Int> = []
        for window in windows where window.level == level {
            traces.insert(
                window.transmissionRiskLevel * CalibrationConfidence.allCases.count
                    + Int(window.calibrationConfidence.rawValue))
        }
        return traces.count
    }
}

extension RiskRules {
    /// Nil if a rule drops the window.
    fileprivate func judge(_ window: ExposureWindow) -> JudgedWindow? {
        for filter in attenuationFilters {
            let scans = window.scans.filter { filter.attenuation.contains(Double($0.minimumAttenuation)) }
            if filter.droppedMinutes.contains(scans.reduce(0) { $0 + $1.minutes }) { return nil }
        }
        let transmissionRiskLevel = levelEncoding.level(window.reportType, window.infectiousness)
        for range in droppedLevels where range.contains(Double(transmissionRiskLevel)) { return nil }
        var weighted = 0.0
        for scan in window.scans { weighted += scan.minutes * weight(of: scan.minimumAttenuation) }
        let minutes = value(of: transmissionRiskLevel) * weighted
        return perWindow.level(of: minutes).map { level in
            JudgedWindow(
                day: window.day.number, normalizedMinutes: minutes, level: level,
                transmissionRiskLevel: transmissionRiskLevel, calibrationConfidence: window.calibrationConfidence)
        }
    }
}

extension ScanInstance {
    /// A clock that was set back gives negative seconds, which count nothing.
    fileprivate var minutes: Double { Double(max(0, seconds)) / 60 }
}
