/// A public model of what phones upload, from which fillers are drawn.
///
/// Fillers are whole uploads, truncated only where a set is full, so their days, risk levels and days since onset correlate as
/// in real uploads. Copies of real metadata, or keys drawn independently, are visible in the counts of a published set; that is
/// how https://github.com/micb25/dka computed the number of uploads from Corona-Warn-App's padded files. The better the shares
/// below fit a country's phones, the less can be inferred.
package struct UploadModel: Sendable {
    /// What a person says about symptoms, with its share in percent.
    private enum Onset: CaseIterable {
        case unsaid, withoutSymptoms, unknownDay, knownDay, lastWeek

        var share: Int {
            switch self {
            case .unsaid: 40
            case .withoutSymptoms: 15
            case .unknownDay: 10
            case .knownDay: 25
            case .lastWeek: 10
            }
        }
    }

    /// The percentage of uploads from phones that were in use for two weeks.
    private static let fullShare = 85
    /// The percentage of uploads that include the current day's key.
    private static let sameDayShare = 20

    /// The model. It has no state.
    package init() {}

    /// The keys of an upload in an hour, 1 to 14 of them, in no order.
    package func keys(uploadedIn hour: Hour, using random: inout some RandomNumberGenerator) -> [DiagnosisKey] {
        let onset = onset(using: &random)
        let onsetDay = Int32.random(in: 0...13, using: &random)
        let isFull = Int.random(in: 0..<100, using: &random) < Self.fullShare
        let hasToday = Int.random(in: 0..<100, using: &random) < Self.sameDayShare
        let days = isFull ? 14 : Int32.random(in: 1...13, using: &random)
        let past = (1...(hasToday ? max(1, days - 1) : days)).compactMap { daysAgo in
            key(daysAgo: daysAgo, length: IntervalNumber.perDay, onset, onsetDay, in: hour, using: &random)
        }
        guard hasToday else { return past.shuffled(using: &random) }
        // The part of the day that has passed at the end of the upload's hour.
        let today = key(daysAgo: 0, length: UInt32(hour.ofDay + 1) * 6, onset, onsetDay, in: hour, using: &random)
        return (past + (today.map { [$0] } ?? [])).shuffled(using: &random)
    }

    private func onset(using random: inout some RandomNumberGenerator) -> Onset {
        var drawn = Int.random(in: 0..<100, using: &random)
        for onset in Onset.allCases {
            drawn -= onset.share
            if drawn < 0 { return onset }
        }
        return .unsaid
    }

    private func key(
        daysAgo: Int32, length: UInt32, _ onset: Onset, _ onsetDay: Int32, in hour: Hour,
        using random: inout some RandomNumberGenerator
    ) -> DiagnosisKey? {
        let days =
            switch onset {
            case .unsaid: 4000 - daysAgo
            case .withoutSymptoms: 3000 - daysAgo
            case .unknownDay: 2000 - daysAgo
            case .knownDay: onsetDay - daysAgo
            case .lastWeek: 700 - daysAgo
            }
        let start = hour.day.advanced(by: -Int(daysAgo)).firstInterval
        guard let data = KeyData(bytes(KeyData.count, using: &random)),
            let period = RollingPeriod(start: start, length: length), let onset = DaysSinceOnset(rawValue: days)
        else { return nil }
        return DiagnosisKey(
            data: data, rollingPeriod: period, transmissionRiskLevel: TransmissionRiskLevel(derivedFrom: onset),
            daysSinceOnsetOfSymptoms: onset, reportType: .confirmedTest)
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
