/// When a key may be published.
///
/// The default values are those of Corona-Warn-App:
/// <https://github.com/corona-warn-app/cwa-server/blob/main/services/distribution/src/main/resources/application.yaml>.
package struct PublicationPolicy: Sendable {
    /// The minimum number of keys, or of check-in reports, in a package, unless a deployment raises it: cwa-server's
    /// `shifting-policy-threshold`. The fold fills every hour up to at least this size, so that no key waits for others.
    package static let smallestPackage = 140

    /// Keys below this level are never published.
    package var lowestLevel: TransmissionRiskLevel
    /// Minutes that must have passed since the end of a key's rolling period: until then a phone would accept replayed
    /// beacons made with it (<https://github.com/corona-warn-app/cwa-server/issues/386>).
    package var embargoMinutes: Int64
    /// The minimum number of keys in a package, so that a person's keys are always among others'.
    ///
    /// An hour with fewer keys gets an empty package, and its keys wait.
    package var minimumKeys: Int

    /// A policy, by default with the values of Corona-Warn-App.
    package init(
        lowestLevel: TransmissionRiskLevel = .lowestPublished, embargoMinutes: Int64 = 120,
        minimumKeys: Int = smallestPackage
    ) {
        self.lowestLevel = lowestLevel
        self.embargoMinutes = embargoMinutes
        self.minimumKeys = minimumKeys
    }

    /// The first hour whose package may contain a key that was folded into `submitted`; nil if none may.
    ///
    /// A key whose period ended more than the embargo before the upload's hour may appear at once. Any other appears in
    /// the hour after the one in which its embargo ends.
    package func releaseHour(of key: DiagnosisKey, submitted: Hour) -> Hour? {
        releaseHour(of: key.rollingPeriod, key.transmissionRiskLevel, submitted: submitted)
    }

    /// The same, from the values that it depends on.
    package func releaseHour(of period: RollingPeriod, _ level: TransmissionRiskLevel, submitted: Hour) -> Hour? {
        guard level >= lowestLevel else { return nil }
        let end = period.end.startSeconds
        let embargo = embargoMinutes * 60
        guard submitted.startSeconds - end <= embargo else { return submitted }
        let released = Hour(number: Int32(clamping: (end + embargo + 3600) / 3600))
        return max(released, submitted)
    }

    /// The maximum delay between a key's upload and its release, in hours: a period that starts in the hour of the upload and
    /// lasts a day, the embargo, and rounding up.
    package var longestDelay: Int { 24 + Int(embargoMinutes / 60) + 3 }
}
