package import FoundationEssentials

/// A key as a phone uploads it, before any rule is applied.
package struct UploadedKey: Hashable, Sendable {
    /// Any length; 16 bytes are valid.
    package var data: [UInt8]
    /// The number of the first interval; midnight UTC is valid, a multiple of 144 above 0.
    package var rollingStart: Int64
    /// The length in intervals of ten minutes; 1...144 is valid.
    package var rollingPeriod: Int64
    /// Any number, 1...8 is valid; nil if the phone sent none.
    package var transmissionRiskLevel: Int?
    /// Any number, -15...4000 is valid; nil if the phone sent none.
    package var daysSinceOnsetOfSymptoms: Int32?
    /// A confirmed test if the phone sent none, which is the schema's default.
    package var reportType: ReportType

    /// A key from unchecked parts.
    package init(
        data: [UInt8], rollingStart: Int64, rollingPeriod: Int64, transmissionRiskLevel: Int?,
        daysSinceOnsetOfSymptoms: Int32?, reportType: ReportType
    ) {
        self.data = data
        self.rollingStart = rollingStart
        self.rollingPeriod = rollingPeriod
        self.transmissionRiskLevel = transmissionRiskLevel
        self.daysSinceOnsetOfSymptoms = daysSinceOnsetOfSymptoms
        self.reportType = reportType
    }
}

/// An upload broke a rule and is refused as a whole, with 400. The error names the rule, never the data.
package enum InvalidUpload: Error, Equatable {
    /// The upload has no key, or more than any app sends.
    case numberOfKeys
    /// None of the keys follows the rules.
    case noUsableKey
}

/// The rules for uploaded keys: Corona-Warn-App's, and rules between the keys of one upload.
///
/// Corona-Warn-App removed the latter because they refused what phones really send
/// (https://github.com/corona-warn-app/cwa-server/pull/712); these accept that.
///
/// A key that breaks a rule is dropped; the others count. Which ones are kept depends on their data and periods alone, and not on
/// their order, on the time, or on what an app computes anew for a repeat on another day.
package struct UploadRules: Sendable {
    /// The maximum number of keys that are kept. Of more, the oldest are left out: both apps send those of today and of the 14 days
    /// before, fifteen (cwa-app-android, `ExposureKeyHistoryCalculations.removeOldKeys`).
    package var maximumKeys: Int
    /// The maximum number of keys that may be sent: `MAX_KEYS_ON_PUBLISH` of
    /// https://github.com/google/exposure-notifications-server. The minimum is one.
    package var maximumSentKeys: Int
    /// The maximum number of keys of one UTC day. A phone begins a new key whenever it reveals the day's key, which an app does
    /// once or twice.
    package var maximumKeysPerDay: Int

    /// Creates the rules.
    ///
    /// The defaults are Corona-Warn-App's, except for the limit per day, which is `MAX_SAME_START_INTERVAL_KEYS` of
    /// https://github.com/google/exposure-notifications-server
    package init(maximumKeys: Int = 14, maximumSentKeys: Int = 30, maximumKeysPerDay: Int = 3) {
        self.maximumKeys = maximumKeys
        self.maximumSentKeys = maximumSentKeys
        self.maximumKeysPerDay = maximumKeysPerDay
    }

    /// Checks and normalises the keys of an upload.
    /// - Returns: the keys that follow the rules, sorted by content.
    /// - Throws: ``InvalidUpload`` if there are no keys, too many, or no valid ones.
    package func normalise(_ uploaded: [UploadedKey]) throws(InvalidUpload) -> [DiagnosisKey] {
        guard (1...maximumSentKeys).contains(uploaded.count) else { throw .numberOfKeys }
        let keys = withoutContradictions(uploaded.compactMap(normalise).sorted(by: Self.isOlder)).suffix(maximumKeys)
        guard !keys.isEmpty else { throw .noUsableKey }
        return keys.sorted()
    }

    /// By day, length and data. Risk and onset come last: they differ between the attempts of one upload.
    private static func isOlder(_ one: DiagnosisKey, _ other: DiagnosisKey) -> Bool {
        let periods = (one.rollingPeriod, other.rollingPeriod)
        if periods.0.start != periods.1.start { return periods.0.start < periods.1.start }
        if periods.0.length != periods.1.length { return periods.0.length < periods.1.length }
        return one.data == other.data ? one < other : one.data < other.data
    }

    /// The keys of an upload that are current: keys that begin in the future, or whose period has expired, are dropped without
    /// an error, as apps expect.
    package func current(_ keys: [DiagnosisKey], at now: Date) -> [DiagnosisKey] {
        let present = IntervalNumber(containing: now)
        return keys.filter { !$0.rollingPeriod.hasExpired(at: now) && $0.rollingPeriod.start <= present }
    }

    // MARK: Between keys

    /// Drops keys that no phone sends together with the others.
    ///
    /// All keys begin at midnight, so only keys of the same day can overlap. They do if a day's key was revealed before the end
    /// of the day: the next key begins at midnight as well and ends later (104 and 142 intervals, say), or has the length of the
    /// rest of the day (104 and 40). So a key is kept if the other keys of its day are shorter, or if all of them together fit
    /// into a day. Either way the keys were in use for 144 intervals at most.
    /// - Parameter keys: sorted by day and then by length.
    private func withoutContradictions(_ keys: [DiagnosisKey]) -> [DiagnosisKey] {
        var kept: [DiagnosisKey] = []
        var known: Set<KeyData> = []
        for key in keys where !known.contains(key.data) {
            let length = key.rollingPeriod.length
            let sameDay = kept.reversed().prefix { $0.rollingPeriod.start == key.rollingPeriod.start }
            let total = sameDay.map(\.rollingPeriod.length).reduce(length, +)
            let isLongest = sameDay.allSatisfy { $0.rollingPeriod.length < length }
            guard sameDay.count < maximumKeysPerDay, isLongest || total <= IntervalNumber.perDay else { continue }
            known.insert(key.data)
            kept.append(key)
        }
        return kept
    }

    // MARK: Each key

    /// Nil if the key itself breaks a rule.
    private func normalise(_ key: UploadedKey) -> DiagnosisKey? {
        guard let data = KeyData(key.data), let start = UInt32(exactly: key.rollingStart), start > 0,
            start % IntervalNumber.perDay == 0, let length = UInt32(exactly: key.rollingPeriod),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
            let (level, onset) = riskAndOnset(of: key)
        else { return nil }
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
            reportType: key.reportType)
    }

    /// A missing value is derived from the other one. At least one must be present, and present values must be valid.
    private func riskAndOnset(of key: UploadedKey) -> (TransmissionRiskLevel, DaysSinceOnset)? {
        let level = key.transmissionRiskLevel.map(TransmissionRiskLevel.init(rawValue:))
        let onset = key.daysSinceOnsetOfSymptoms.map(DaysSinceOnset.init(rawValue:))
        return switch (level, onset) {
        case (let level??, let onset??): (level, onset)
        case (let level??, nil): (level, DaysSinceOnset(derivedFrom: level))
        case (nil, let onset??): (TransmissionRiskLevel(derivedFrom: onset), onset)
        case (.some(nil), _), (_, .some(nil)), (nil, nil): nil
        }
    }
}
