package import ExposureKeys

extension FederatedKey {
    /// A home key as it leaves the country.
    ///
    /// It tells other countries no more than the national export tells everybody. The days since onset are a function
    /// of the level, which the export contains; from them an importer that uses Corona-Warn-App's table derives levels
    /// 2...7 again, and 7 for 8. The level is unset, and the type the same for all.
    /// - Parameter countries: the same list for every key. A person's own list would be nearly unique.
    /// - Returns: nil for more than ``mostCountries``.
    package init?(sharing key: DiagnosisKey, from origin: CountryCode, with countries: [CountryCode]) {
        self.init(
            data: key.data, rollingPeriod: key.rollingPeriod, riskLevel: .unset, visitedCountries: countries,
            origin: origin, reportType: .confirmedTest,
            daysSinceOnset: DaysSinceOnset(derivedFrom: key.transmissionRiskLevel).rawValue)
    }

    /// A foreign key as home keys are stored and published; nil if the days since onset are in no class.
    ///
    /// As in Corona-Warn-App, the level is always derived from the days as they were sent, because no two countries share a scale:
    /// https://github.com/corona-warn-app/cwa-server/blob/main/services/download/src/main/java/app/coronawarn/server/services/download/normalization/FederationKeyNormalizer.java
    package var imported: DiagnosisKey? {
        guard let onset = OnsetClass(daysSinceOnset) else { return nil }
        let days = DaysSinceOnset(rawValue: daysSinceOnset)
        guard let stored = days ?? DaysSinceOnset(rawValue: onset.coarse) else { return nil }
        return DiagnosisKey(
            data: data, rollingPeriod: rollingPeriod,
            transmissionRiskLevel: days.map(TransmissionRiskLevel.init(derivedFrom:)) ?? .lowest,
            daysSinceOnsetOfSymptoms: stored, reportType: .confirmedTest)
    }
}
