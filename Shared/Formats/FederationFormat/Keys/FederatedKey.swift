package import ExposureKeys
package import FoundationEssentials

/// A diagnosis key as countries exchange it (efgs-federation-gateway, `Efgs.proto`).
package struct FederatedKey: Hashable, Sendable {
    /// The key.
    package let data: KeyData
    /// When the key was in use. Other countries' periods needn't begin at midnight.
    package let rollingPeriod: RollingPeriod
    /// On the origin's scale.
    package let riskLevel: FederatedRiskLevel
    /// Where the person was, as far as the origin shares it. The order is part of what is signed.
    package let visitedCountries: [CountryCode]
    /// The country that uploaded it.
    package let origin: CountryCode
    /// How the diagnosis was made.
    package let reportType: ReportType
    /// In classes; see ``OnsetClass``. The gateway doesn't check it.
    package let daysSinceOnset: Int32

    /// The gateway stores the list of countries in 400 encrypted characters.
    package static let mostCountries = 96
    /// Days before the current one at whose midnight the oldest period starts that the gateway accepts.
    package static let daysAccepted = 15

    /// Nil for more than ``mostCountries``.
    package init?(
        data: KeyData, rollingPeriod: RollingPeriod, riskLevel: FederatedRiskLevel, visitedCountries: [CountryCode],
        origin: CountryCode, reportType: ReportType, daysSinceOnset: Int32
    ) {
        guard visitedCountries.count <= Self.mostCountries else { return nil }
        self.data = data
        self.rollingPeriod = rollingPeriod
        self.riskLevel = riskLevel
        self.visitedCountries = visitedCountries
        self.origin = origin
        self.reportType = reportType
        self.daysSinceOnset = daysSinceOnset
    }

    /// Checks a key, in the order of the gateway's rules.
    /// - Parameter starts: of the rolling period; nil for all.
    package init(_ key: UncheckedKey, starts: ClosedRange<IntervalNumber>? = nil) throws(KeyFlaw) {
        guard let data = KeyData(key.data) else { throw .keyData }
        let start = IntervalNumber(rawValue: key.rollingStart)
        guard starts?.contains(start) ?? true else { throw .rollingStart }
        guard (1...IntervalNumber.perDay).contains(key.rollingPeriod) else { throw .rollingPeriod }
        guard let period = RollingPeriod(start: start, length: key.rollingPeriod) else { throw .rollingStart }
        guard let riskLevel = FederatedRiskLevel(rawValue: key.riskLevel) else { throw .riskLevel }
        let countries = key.visitedCountries.compactMap { CountryCode($0) }
        guard let origin = CountryCode(key.origin) else { throw .origin }
        guard let reportType = ReportType(rawValue: Int(key.reportType)) else { throw .reportType }
        guard countries.count == key.visitedCountries.count,
            let checked = FederatedKey(
                data: data, rollingPeriod: period, riskLevel: riskLevel, visitedCountries: countries, origin: origin,
                reportType: reportType, daysSinceOnset: key.daysSinceOnset)
        else { throw .visitedCountries }
        self = checked
    }

    /// The starts that the gateway accepts in an upload: from midnight UTC ``daysAccepted`` days ago to the next
    /// interval.
    package static func starts(acceptedAt instant: Date) -> ClosedRange<IntervalNumber> {
        let last = IntervalNumber(rawValue: IntervalNumber(containing: instant).rawValue + 1)
        return min(Day(containing: instant).advanced(by: -daysAccepted).firstInterval, last)...last
    }
}

extension UncheckedKey {
    /// A good key again.
    package init(_ key: FederatedKey) {
        self.init(
            data: key.data.bytes, rollingStart: key.rollingPeriod.start.rawValue,
            rollingPeriod: key.rollingPeriod.length, riskLevel: key.riskLevel.rawValue,
            visitedCountries: key.visitedCountries.map(\.text), origin: key.origin.text,
            reportType: Int32(key.reportType.rawValue), daysSinceOnset: key.daysSinceOnset)
    }
}
