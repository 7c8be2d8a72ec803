/// Numbers from one to another, as the health authority's configuration writes them (`Range` of the app configuration).
package struct RiskRange: Codable, Hashable, Sendable {
    /// The lower bound.
    package let minimum: Double
    /// Whether the lower bound itself is outside.
    package let excludesMinimum: Bool
    /// The upper bound.
    package let maximum: Double
    /// Whether the upper bound itself is outside.
    package let excludesMaximum: Bool

    /// Both bounds belong to the range unless it is said otherwise.
    package init(_ bounds: ClosedRange<Double>, excludesMinimum: Bool = false, excludesMaximum: Bool = false) {
        minimum = bounds.lowerBound
        self.excludesMinimum = excludesMinimum
        maximum = bounds.upperBound
        self.excludesMaximum = excludesMaximum
    }

    /// Whether a number is in the range.
    package func contains(_ number: Double) -> Bool {
        (excludesMinimum ? number > minimum : number >= minimum)
            && (excludesMaximum ? number < maximum : number <= maximum)
    }
}

/// How high a risk is, of encounters or of visits.
package enum RiskLevel: String, Codable, Hashable, Sendable {
    case low
    case high
}

/// The level for a range of normalized minutes (`NormalizedTimeToRiskLevelMapping` of the app configuration).
package struct RiskGrade: Codable, Hashable, Sendable {
    /// Normalized minutes.
    package let time: RiskRange
    /// What they amount to.
    package let level: RiskLevel

    /// The level for a range.
    package init(time: RiskRange, level: RiskLevel) {
        self.time = time
        self.level = level
    }
}

extension [RiskGrade] {
    /// The level of the first range that has so many minutes; nil if none has.
    package func level(of minutes: Double) -> RiskLevel? { first { $0.time.contains(minutes) }?.level }
}
