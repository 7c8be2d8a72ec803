package import FoundationEssentials

/// A key as a phone uploads it, before any rule was applied.
package struct UploadedKey: Hashable, Sendable {
    /// Of any length; 16 bytes are right.
    package var data: [UInt8]
    /// The first interval of use, as its number; midnight UTC is right, a multiple of 144 above 0.
    package var rollingStart: Int64
    /// In intervals of ten minutes; 1...144 is right.
    package var rollingPeriod: Int64
    /// Any number, 1...8 is right; nil when the phone sent none.
    package var transmissionRiskLevel: Int?
    /// Any number, -15...4000 is right; nil when the phone sent none.
    package var daysSinceOnsetOfSymptoms: Int32?
    /// A confirmed test where the phone sent none, as the schema has it (Corona-Warn-App sheet, 4.2).
    package var reportType: ReportType

    /// A key as its parts, none of them checked.
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

/// An upload broke a rule and is refused whole; the answer is 400. It names the rule, never the data.
package enum InvalidUpload: Error, Equatable {
    /// No key at all, or more than an upload may have.
    case numberOfKeys
    /// There are keys, but none that keeps to the rules.
    case noUsableKey
}

/// The rules for uploaded keys (Corona-Warn-App sheet, 4.3 and 4.4), and those between the keys of one upload, which the
/// field's server gave up because they refused what phones really send (weakness 13).
///
/// A key that breaks a rule is left out; the others count. What is left depends on the upload alone, neither on the order
/// of its keys nor on the time, so that a repeat on another day is the same upload.
package struct UploadRules: Sendable {
    /// The most keys of one upload; the fewest is one.
    package var maximumKeys: Int
    /// The most keys of one UTC day. A phone begins another key whenever it gives the day's key away, which an app does
    /// once or twice.
    package var maximumKeysPerDay: Int
    /// Days before today whose keys are kept; older ones are dropped in silence. With today that makes a window of 15.
    package var retentionDays: Int

    /// The rules; by default with the field's values (Corona-Warn-App sheet, 4.3; key server sheet, 2.3).
    package init(maximumKeys: Int = 14, maximumKeysPerDay: Int = 3, retentionDays: Int = 14) {
        self.maximumKeys = maximumKeys
        self.maximumKeysPerDay = maximumKeysPerDay
        self.retentionDays = retentionDays
    }

    /// Checks and normalises the keys of an upload.
    /// - Returns: the keys that keep to the rules, ordered by content.
    /// - Throws: ``InvalidUpload`` when there are too few or too many, or none that is any good.
    package func normalise(_ uploaded: [UploadedKey]) throws(InvalidUpload) -> [DiagnosisKey] {
        guard (1...maximumKeys).contains(uploaded.count) else { throw .numberOfKeys }
        let keys = withoutContradictions(uploaded.compactMap(normalise).sorted())
        guard !keys.isEmpty else { throw .noUsableKey }
        return keys
    }

    /// The keys of an upload that are worth keeping: those that begin in the future or before midnight UTC of the day
    /// `retentionDays` ago are dropped without a word, as the apps expect.
    package func current(_ keys: [DiagnosisKey], at now: Date) -> [DiagnosisKey] {
        let present = IntervalNumber(containing: now)
        let oldest = Day(containing: now).advanced(by: -retentionDays).firstInterval
        return keys.filter { oldest <= $0.rollingPeriod.start && $0.rollingPeriod.start <= present }
    }

    // MARK: Between keys

    /// Leaves out keys that no phone sends beside the others.
    ///
    /// All keys begin at midnight, so only those of one day can overlap. They do when a day's key was given away before
    /// its end: the key that followed begins at midnight, too, and lasts to a later end (104 and 142 intervals, say), or
    /// is told by what was left of the day (104 and 40). So a key may stand beside shorter ones of its day, or if all of
    /// them together fit into a day. Either way the time in which the keys were in use is 144 intervals at most.
    /// - Parameter keys: ordered by content, which means by day and within a day by length.
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

    /// Nil when the key breaks a rule of its own.
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

    /// Each derives from the other where one is missing; at least one must be there, and what is there be in range.
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
