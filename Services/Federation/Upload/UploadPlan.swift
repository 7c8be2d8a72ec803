import ExposureKeys
import FederationFormat
import FoundationEssentials
import Running

/// What this country sends, and when, from the configuration keys `upload.*`.
struct UploadPlan: Sendable {
    let origin: CountryCode
    /// The same list for every key: a person's own would be nearly unique.
    let countries: [CountryCode]
    /// Which keys are published at home, and so may leave.
    let policy: PublicationPolicy
    /// Hours of a slot; it divides the day.
    let slotHours: Int
    /// Fewer keys than this never leave together.
    let smallestBatch: Int
    let largestBatch: Int

    /// Seconds after a slot's end: distribution has published the last hour by then.
    static let delay: TimeInterval = 15 * 60

    /// The last hour of the latest slot that has ended and is published, by the clock.
    func lastSlot(at now: Date) -> Hour {
        let hours = Hour(endedBy: now.addingTimeInterval(-Self.delay)).number + 1
        return Hour(number: hours - hours % Int32(slotHours) - 1)
    }

    /// Home keys as they leave.
    func shared(_ key: DiagnosisKey) -> FederatedKey? { FederatedKey(sharing: key, from: origin, with: countries) }
}

extension UploadPlan {
    static let keys = ["upload.countries", "upload.slotHours", "upload.smallestBatch", "upload.largestBatch"]

    init(_ settings: Settings) throws(ConfigurationProblem) {
        origin = try GatewayPlan.origin(settings)
        countries = try GatewayPlan.countries("upload.countries", settings)
        guard !countries.isEmpty, countries.count <= FederatedKey.mostCountries, !countries.contains(origin) else {
            throw settings.wrong(
                "upload.countries", "must name 1 to \(FederatedKey.mostCountries) countries, without this one")
        }
        policy = PublicationPolicy(lowestLevel: try GatewayPlan.lowestLevel(settings))
        slotHours = try settings.int("upload.slotHours", default: 4, in: 1...24)
        guard 24.isMultiple(of: slotHours) else { throw settings.wrong("upload.slotHours", "must divide 24") }
        smallestBatch = try settings.int(
            "upload.smallestBatch", default: PublicationPolicy.smallestPackage, in: 1...2500)
        largestBatch = try settings.int("upload.largestBatch", default: 4000, in: 2...ReceivedBatch.mostKeys)
        guard largestBatch >= 2 * smallestBatch else {
            throw settings.wrong(
                "upload.largestBatch", "must be at least twice upload.smallestBatch, so that no remainder is smaller")
        }
    }
}
