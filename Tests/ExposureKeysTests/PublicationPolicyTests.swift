import ExposureKeys
import Testing

struct PublicationPolicyTests {
    private let policy = PublicationPolicy()
    private let day = Day(number: 20_500)

    private func key(daysBefore: Int = 0, period: UInt32 = 144, level: Int = 5) throws -> DiagnosisKey {
        let level = try #require(TransmissionRiskLevel(rawValue: level))
        return DiagnosisKey(
            data: try #require(KeyData([UInt8](repeating: 1, count: 16))),
            rollingPeriod: try #require(
                RollingPeriod(start: day.advanced(by: -daysBefore).firstInterval, length: period)),
            transmissionRiskLevel: level, daysSinceOnsetOfSymptoms: DaysSinceOnset(derivedFrom: level),
            reportType: .confirmedTest)
    }

    @Test("a key of an earlier day may appear in the hour of its upload")
    func earlier() throws {
        let hour = day.firstHour.advanced(by: 10)
        #expect(policy.releaseHour(of: try key(daysBefore: 2), submitted: hour) == hour)
    }

    @Test("yesterday's key waits until two hours after midnight have passed")
    func yesterday() throws {
        let key = try key(daysBefore: 1)
        #expect(policy.releaseHour(of: key, submitted: day.firstHour) == day.firstHour.advanced(by: 3))
        #expect(policy.releaseHour(of: key, submitted: day.firstHour.advanced(by: 2)) == day.firstHour.advanced(by: 3))
        #expect(policy.releaseHour(of: key, submitted: day.firstHour.advanced(by: 3)) == day.firstHour.advanced(by: 3))
    }

    @Test("today's key, released early with a short period, waits for two hours after its end")
    func sameDay() throws {
        // 61 intervals end at 10:10; with the embargo 12:10; the hour from 13:00 is the first behind it.
        let hour = policy.releaseHour(of: try key(period: 61), submitted: day.firstHour.advanced(by: 10))
        #expect(hour == day.firstHour.advanced(by: 13))
    }

    @Test("no key is released before its embargo ends, or later than the longest delay", arguments: 0..<48)
    func bounds(offset: Int) throws {
        let submitted = day.firstHour.advanced(by: offset - 24)
        for daysBefore in 0...14 {
            for period in [UInt32(1), 61, 143, 144] {
                let key = try key(daysBefore: daysBefore, period: period)
                guard key.rollingPeriod.start.startSeconds < submitted.endSeconds else { continue }
                let release = try #require(policy.releaseHour(of: key, submitted: submitted))
                // The package of an hour is out when the hour has ended.
                #expect(release.startSeconds >= key.rollingPeriod.end.startSeconds + 7200 || release == submitted)
                #expect(release.endSeconds >= key.rollingPeriod.end.startSeconds + 7200)
                #expect(submitted <= release && release <= submitted.advanced(by: policy.longestDelay))
            }
        }
    }

    @Test("keys below the lowest level are never published", arguments: [(1, false), (2, false), (3, true), (8, true)])
    func level(level: Int, published: Bool) throws {
        #expect(
            (policy.releaseHour(of: try key(daysBefore: 3, level: level), submitted: day.firstHour) != nil) == published
        )
    }
}
