import ExposureKeys
import FederationFormat
import FoundationEssentials
import Running

/// Which keys of other countries are imported, from the configuration keys `download.*`.
struct ImportRules: Sendable {
    let origin: CountryCode
    /// Whose keys are imported; nil for everybody's.
    let countries: Set<CountryCode>?
    let reportTypes: Set<ReportType>
    /// Keys below it are never published, so they aren't stored.
    let lowestLevel: TransmissionRiskLevel

    /// Why a key isn't imported. The text is a metric's label.
    enum Refusal: String, Error, CaseIterable {
        /// It says that it comes from this country.
        case homeOrigin = "home_origin"
        /// The country isn't in the list.
        case country
        case reportType = "other_report_type"
        /// Its period doesn't begin at midnight UTC.
        case unaligned
        /// Its period has expired, or hasn't begun.
        case age
        /// The days since onset are in no class.
        case onset
        /// The level that follows from them is never published.
        case level
    }

    /// As in Corona-Warn-App's download service (`ALLOWED_REPORT_TYPES`).
    static let usualTypes: Set<ReportType> = [.confirmedTest, .confirmedClinicalDiagnosis]

    /// A key as it is stored.
    func foreignKey(_ key: FederatedKey, at now: Date) throws(Refusal) -> ForeignKey {
        guard key.origin != origin else { throw .homeOrigin }
        guard countries?.contains(key.origin) ?? true else { throw .country }
        guard reportTypes.contains(key.reportType) else { throw .reportType }
        let start = key.rollingPeriod.start
        guard start == start.startOfDay else { throw .unaligned }
        let today = Day(containing: now)
        guard start <= today.firstInterval, start >= today.advanced(by: -RollingPeriod.daysKept).firstInterval,
            !key.rollingPeriod.hasExpired(at: now)
        else { throw .age }
        guard let imported = key.imported else { throw .onset }
        guard imported.transmissionRiskLevel >= lowestLevel else { throw .level }
        return ForeignKey(
            key: imported.inWholeHours, origin: key.origin, visited: Self.inOrder(key.visitedCountries))
    }

    /// Each country once. Most lists are in order already, and every key has one.
    private static func inOrder(_ countries: [CountryCode]) -> String {
        let isInOrder = zip(countries, countries.dropFirst()).allSatisfy(<)
        return (isInOrder ? countries : Set(countries).sorted()).reduce(into: "") { $0 += $1.text }
    }
}

extension ImportRules {
    init(_ settings: Settings) throws(ConfigurationProblem) {
        origin = try GatewayPlan.origin(settings)
        let listed = try GatewayPlan.countries("download.countries", settings)
        countries = listed.isEmpty ? nil : Set(listed)
        let names = settings.list("download.reportTypes")
        let types = names.compactMap { name in Self.typeNames.first { $0.name == name }?.type }
        guard types.count == names.count else {
            throw settings.wrong(
                "download.reportTypes",
                "must be a list of \(Self.typeNames.map(\.name).joined(separator: ", "))")
        }
        reportTypes = types.isEmpty ? Self.usualTypes : Set(types)
        lowestLevel = try GatewayPlan.lowestLevel(settings)
    }

    private static let typeNames: [(name: String, type: ReportType)] = [
        ("confirmed-test", .confirmedTest), ("clinical-diagnosis", .confirmedClinicalDiagnosis),
        ("self-report", .selfReport),
    ]
}
