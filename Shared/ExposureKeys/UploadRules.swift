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
    case numberOfKeys
    case keyLength
    case rollingStart
    case rollingPeriod
    case neitherRiskLevelNorOnset
    case transmissionRiskLevel
    case daysSinceOnset
}

/// The rules for uploaded keys (Corona-Warn-App sheet, 4.3 and 4.4).
package struct UploadRules: Sendable {
    /// The most keys of one upload; the fewest is one.
    package var maximumKeys: Int
    /// Days before today whose keys are kept; older ones are dropped in silence.
    package var retentionDays: Int

    /// The rules; by default with the field's values (Corona-Warn-App sheet, 4.3).
    package init(maximumKeys: Int = 14, retentionDays: Int = 14) {
        self.maximumKeys = maximumKeys
        self.retentionDays = retentionDays
    }

    /// Checks and normalises an upload.
    /// - Returns: every key, ordered by content. That depends on the upload alone, so a repeat on another day gives
    ///   the same.
    /// - Throws: ``InvalidUpload`` when any key breaks a rule.
    package func normalise(_ uploaded: [UploadedKey]) throws(InvalidUpload) -> [DiagnosisKey] {
        guard (1...maximumKeys).contains(uploaded.count) else { throw .numberOfKeys }
        var keys: [DiagnosisKey] = []
        for key in uploaded {
            keys.append(try normalise(key))
        }
        return keys.sorted()
    }

    /// The keys of an upload that are worth keeping: those that begin in the future or before midnight UTC of the day
    /// `retentionDays` ago are dropped without a word, as the apps expect.
    package func current(_ keys: [DiagnosisKey], at now: Date) -> [DiagnosisKey] {
        let present = IntervalNumber(containing: now)
        let oldest = Day(containing: now).advanced(by: -retentionDays).firstInterval
        return keys.filter { oldest <= $0.rollingPeriod.start && $0.rollingPeriod.start <= present }
    }

    private func normalise(_ key: UploadedKey) throws(InvalidUpload) -> DiagnosisKey {
        guard let data = KeyData(key.data) else { throw .keyLength }
        guard let start = UInt32(exactly: key.rollingStart), start > 0, start % IntervalNumber.perDay == 0 else {
            throw .rollingStart
        }
        guard let length = UInt32(exactly: key.rollingPeriod),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length)
        else { throw .rollingPeriod }
        let (level, onset) = try riskAndOnset(of: key)
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: onset,
            reportType: key.reportType)
    }

    /// Each derives from the other where one is missing; at least one must be there.
    private func riskAndOnset(
        of key: UploadedKey
    ) throws(InvalidUpload) -> (TransmissionRiskLevel, DaysSinceOnset) {
        var level: TransmissionRiskLevel?
        if let given = key.transmissionRiskLevel {
            level = TransmissionRiskLevel(rawValue: given)
            if level == nil { throw .transmissionRiskLevel }
        }
        var onset: DaysSinceOnset?
        if let given = key.daysSinceOnsetOfSymptoms {
            onset = DaysSinceOnset(rawValue: given)
            if onset == nil { throw .daysSinceOnset }
        }
        switch (level, onset) {
        case (let level?, let onset?): return (level, onset)
        case (let level?, nil): return (level, DaysSinceOnset(derivedFrom: level))
        case (nil, let onset?): return (TransmissionRiskLevel(derivedFrom: onset), onset)
        case (nil, nil): throw .neitherRiskLevelNorOnset
        }
    }
}
