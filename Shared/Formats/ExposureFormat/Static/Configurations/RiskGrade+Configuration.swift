import ExposureKeys

extension RiskRange {
    /// The message's rules see to it that the bounds are numbers in order.
    init(_ range: WireRange) {
        self.init(
            range.min...max(range.min, range.max), excludesMinimum: range.minExclusive,
            excludesMaximum: range.maxExclusive)
    }
}

extension RiskGrade {
    init?(_ mapping: WireNormalizedTimeToRiskLevelMapping) {
        switch mapping.riskLevel {
        case .low: self.init(time: RiskRange(mapping.normalizedTimeRange), level: .low)
        case .high: self.init(time: RiskRange(mapping.normalizedTimeRange), level: .high)
        default: return nil
        }
    }
}
