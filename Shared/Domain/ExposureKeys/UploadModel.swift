/// A public model of what phones upload, from which fillers are drawn.
///
/// Fillers are whole uploads, truncated only where a set is full, so their days, risk levels and days since onset correlate as
/// in real uploads. Copies of real metadata, or keys drawn independently, are visible in the counts of a published set; that is
/// how https://github.com/micb25/dka computed the number of uploads from Corona-Warn-App's padded files.
///
/// Levels and days since onset are those that apps send (``OnsetOfSymptoms``), so that no pair of the two marks a filler. How often
/// people give each answer nobody published; the shares are our own:
///
/// | answer | share in percent |
/// |---|---|
/// | nothing | 40 |
/// | no symptoms | 15 |
/// | symptoms of unknown onset | 10 |
/// | a day of onset, each of the last 14 days alike | 25 |
/// | in the last seven days | 7 |
/// | one to two weeks ago | 2 |
/// | more than two weeks ago | 1 |
///
/// The better they fit a country's phones, the less can be inferred.
package struct UploadModel: Sendable {
    /// The shares of the table, with the day of onset of who names one.
    private static func answers(onset: Day) -> [(OnsetOfSymptoms, share: Int)] {
        [
            (.unsaid, 40), (.none, 15), (.unknownDay, 10), (.day(onset), 25), (.lastWeek, 7), (.weekBefore, 2),
            (.earlier, 1),
        ]
    }

    /// The percentage of uploads from phones that were in use for two weeks.
    private static let fullShare = 85
    /// The percentage of uploads that include the current day's key.
    private static let sameDayShare = 20

    /// The model. It has no state.
    package init() {}

    /// The keys of an upload in an hour, 1 to 14 of them, in no order.
    package func keys(uploadedIn hour: Hour, using random: inout some RandomNumberGenerator) -> [DiagnosisKey] {
        let onset = onset(said: hour.day, using: &random)
        let isFull = Int.random(in: 0..<100, using: &random) < Self.fullShare
        let hasToday = Int.random(in: 0..<100, using: &random) < Self.sameDayShare
        let days = isFull ? 14 : Int32.random(in: 1...13, using: &random)
        let past = (1...(hasToday ? max(1, days - 1) : days)).compactMap { daysAgo in
            key(daysAgo: daysAgo, length: IntervalNumber.perDay, onset, in: hour, using: &random)
        }
        guard hasToday else { return past.shuffled(using: &random) }
        // The part of the day that has passed at the end of the upload's hour.
        let today = key(daysAgo: 0, length: UInt32(hour.ofDay + 1) * 6, onset, in: hour, using: &random)
        return (past + (today.map { [$0] } ?? [])).shuffled(using: &random)
    }

    /// What a person says about symptoms.
    private func onset(said day: Day, using random: inout some RandomNumberGenerator) -> OnsetOfSymptoms {
        var drawn = Int.random(in: 0..<100, using: &random)
        let daysAgo = Int32.random(in: 0...13, using: &random)
        for (answer, share) in Self.answers(onset: day.advanced(by: -Int(daysAgo))) {
            drawn -= share
            if drawn < 0 { return answer }
        }
        return .unsaid
    }

    private func key(
        daysAgo: Int32, length: UInt32, _ onset: OnsetOfSymptoms, in hour: Hour,
        using random: inout some RandomNumberGenerator
    ) -> DiagnosisKey? {
        let day = hour.day.advanced(by: -Int(daysAgo))
        guard let data = KeyData(bytes(KeyData.count, using: &random)),
            let period = RollingPeriod(start: day.firstInterval, length: length),
            let daysSinceOnset = onset.daysSinceOnset(of: day, today: hour.day)
        else { return nil }
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: onset.level(of: day, today: hour.day),
            daysSinceOnsetOfSymptoms: daysSinceOnset, reportType: .confirmedTest)
    }

    /// A multiple of eight random bytes.
    private func bytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
