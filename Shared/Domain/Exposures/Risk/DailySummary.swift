package import ExposureKeys
package import FoundationEssentials

/// How the operating systems sum up a day for apps that don't judge windows themselves (`DailySummariesConfig` of the app configuration).
package struct DailySummaryRules: Hashable, Sendable {
    /// The last attenuation, in dB, of those that are called immediate, near and medium. The rest is other.
    package let immediate, near, medium: Int
    /// What a second counts: immediate, near, medium and other.
    package let weights: [Double]
    /// What a second counts by report; 0 for those that aren't in it.
    package let reportTypes: [ReportType: Double]
    /// What a second counts by infectiousness; 0 for those that aren't in it.
    package let infectiousness: [Infectiousness: Double]
    /// Windows with a lower score don't count.
    package let minimumWindowScore: Double
    /// Windows of more days ago don't count; nil if all do.
    package let maximumDays: Int?

    /// Nil unless there are three thresholds in order, and four weights.
    package init?(
        thresholds: [Int], weights: [Double], reportTypes: [ReportType: Double],
        infectiousness: [Infectiousness: Double], minimumWindowScore: Double, maximumDays: Int?
    ) {
        guard thresholds.count == 3, thresholds == thresholds.sorted(), weights.count == 4 else { return nil }
        (immediate, near, medium) = (thresholds[0], thresholds[1], thresholds[2])
        self.weights = weights
        self.reportTypes = reportTypes
        self.infectiousness = infectiousness
        self.minimumWindowScore = minimumWindowScore
        self.maximumDays = maximumDays
    }

    /// The weighted seconds of a window.
    func weightedSeconds(of window: ExposureWindow) -> Double {
        window.scans.reduce(0) { sum, scan in
            let attenuation = scan.typicalAttenuation
            let place = attenuation <= immediate ? 0 : attenuation <= near ? 1 : attenuation <= medium ? 2 : 3
            return sum + Double(scan.seconds) * weights[place]
        }
    }
}

/// A UTC day of encounters in three numbers (google/exposure-notifications-internals, `DailySummaryUtils`).
package struct DailySummary: Hashable, Sendable {
    /// On which the windows began.
    package let day: Day
    /// Of all windows.
    package private(set) var scoreSum = 0.0
    /// Of the most serious window.
    package private(set) var maximumScore = 0.0
    /// Before the weights of report and infectiousness.
    package private(set) var weightedSeconds = 0.0

    /// The summaries of all days with windows, in order. A day whose windows don't count has zeros.
    package static func days(
        of windows: some Sequence<ExposureWindow>, by rules: DailySummaryRules, at now: Date
    ) -> [DailySummary] {
        let today = Day(containing: now)
        var days: [Day: DailySummary] = [:]
        for window in windows {
            if let maximum = rules.maximumDays, window.day.distance(to: today) > maximum { continue }
            var summary = days[window.day] ?? DailySummary(day: window.day)
            let seconds = rules.weightedSeconds(of: window)
            let score =
                seconds * (rules.reportTypes[window.reportType] ?? 0)
                * (rules.infectiousness[window.infectiousness] ?? 0)
            if score >= rules.minimumWindowScore {
                summary.scoreSum += score
                summary.maximumScore = max(summary.maximumScore, score)
                summary.weightedSeconds += seconds
            }
            days[window.day] = summary
        }
        return days.values.sorted { $0.day < $1.day }
    }

    private init(day: Day) { self.day = day }
}
