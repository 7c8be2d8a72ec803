package import ExposureKeys
package import FoundationEssentials

/// How apps of 2020 judged encounters: the health authority's configuration (`ApplicationConfiguration`, version 1 of Exposure Notification).
package struct ScoreRules: Hashable, Sendable {
    /// Eight levels, 0 to 8, one of which an encounter gets.
    package struct Levels: Hashable, Sendable {
        /// In the order of the configuration's fields, from the lowest risk to the highest.
        package let values: [Int]

        /// Nil unless there are eight values of 0 to 8.
        package init?(_ values: [Int]) {
            guard values.count == 8, values.allSatisfy((0...8).contains) else { return nil }
            self.values = values
        }

        /// The value behind the bounds that a number is beyond.
        fileprivate func value(_ number: Int, beyond bounds: [Int]) -> Int {
            values[bounds.prefix { number > $0 }.count]
        }
    }

    /// What minutes in a band of attenuation count.
    package struct Weights: Hashable, Sendable {
        /// Below the lower threshold, between the two, and above.
        package let low, middle, high: Double

        /// Weights, without a unit.
        package init(low: Double, middle: Double, high: Double) {
            self.low = low
            self.middle = middle
            self.high = high
        }
    }

    /// By attenuation: above 73 dB, up to 73, 63, 51, 33, 27, 15, and up to 10.
    package let attenuation: Levels
    /// By the age of the key: at least 14 days, 12, 10, 8, 6, 4, 2, and less.
    package let days: Levels
    /// By minutes: none, up to 5, 10, 15, 20, 25, 30, and more.
    package let duration: Levels
    /// By transmission risk level, from 1 to 8.
    package let transmission: Levels
    /// A lower score counts as 0.
    package let minimumScore: Int
    /// In dB.
    package let lowerThreshold, upperThreshold: Int
    /// Of the minutes in the three bands.
    package let weights: Weights
    /// Is added to the weighted minutes.
    package let offset: Double
    /// What the highest score is divided by; not 0.
    package let divisor: Double
    /// Combined scores from here on are a high risk.
    package let highFrom: Double

    /// Rules from their parts.
    package init(
        attenuation: Levels, days: Levels, duration: Levels, transmission: Levels, minimumScore: Int,
        lowerThreshold: Int, upperThreshold: Int, weights: Weights, offset: Double, divisor: Double, highFrom: Double
    ) {
        self.attenuation = attenuation
        self.days = days
        self.duration = duration
        self.transmission = transmission
        self.minimumScore = minimumScore
        self.lowerThreshold = lowerThreshold
        self.upperThreshold = upperThreshold
        self.weights = weights
        self.offset = offset
        self.divisor = divisor
        self.highFrom = highFrom
    }

    /// The total risk score of an encounter, 0 to 4096: the product of four levels, or 0 if it is below the minimum (cwa-documentation,
    /// `solution_architecture.md` of 2020, figure 12).
    package func score(of encounter: ExposureInformation, at now: Date) -> Int {
        let age = Int((now.timeIntervalSince1970 - Double(encounter.day.startSeconds)) / 86_400)
        let product =
            attenuation.value(-encounter.attenuation, beyond: Self.attenuationBounds)
            * days.value(-age, beyond: Self.dayBounds)
            * duration.value(encounter.minutes, beyond: Self.minuteBounds)
            * transmission.values[encounter.transmissionRiskLevel.rawValue - 1]
        return product < minimumScore ? 0 : product
    }

    // Upper bounds of the levels but the last. Attenuations and ages count downwards: their highest level is that of the smallest number.
    private static let attenuationBounds = [-74, -64, -52, -34, -28, -16, -11]
    private static let dayBounds = [-14, -12, -10, -8, -6, -4, -2]
    private static let minuteBounds = [0, 5, 10, 15, 20, 25, 30]
}

/// What all encounters of a matching session amounted to in 2020 (cwa-documentation, `solution_architecture.md` of 2020, figure 13;
/// cwa-app-android before November 2020, `DefaultRiskLevels.kt`).
///
/// The days can't be told apart: the highest score of one encounter meets the minutes of all.
package struct CombinedRisk: Hashable, Sendable {
    /// Of the most serious encounter.
    package let highestScore: Int
    /// In the three bands of attenuation, at most 30 in each.
    package let minutes: [Int]
    /// Rounded to hundredths.
    package let score: Double
    /// High from the configured score on.
    package let level: RiskLevel

    /// Judges encounters.
    package init(_ encounters: some Collection<ExposureInformation>, by rules: ScoreRules, at now: Date) {
        let highest = encounters.map { rules.score(of: $0, at: now) }.max() ?? 0
        let minutes = (0..<3).map { band in
            // Begun minutes count (Apple's `attenuationDurations`).
            min(30, (encounters.reduce(0) { $0 + $1.seconds[band] } + 59) / 60)
        }
        let weighted = zip(minutes, [rules.weights.low, rules.weights.middle, rules.weights.high])
            .reduce(rules.offset) { $0 + Double($1.0) * $1.1 }
        highestScore = highest
        self.minutes = minutes
        score = (weighted * (Double(highest) / rules.divisor) * 100).rounded() / 100
        level = score >= rules.highFrom ? .high : .low
    }
}
