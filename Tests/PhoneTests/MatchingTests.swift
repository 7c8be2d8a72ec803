import ExposureFormat
import ExposureKeys
import Exposures
import FoundationEssentials
import Testing

@testable import Phone

@Suite struct MatchingTests {
    private static let today = Day(number: 20_600)
    private static let now = today.firstHour.advanced(by: 15).start
    /// Noon of the day before yesterday.
    private static let noon = IntervalNumber(rawValue: today.advanced(by: -2).firstInterval.rawValue + 72)

    private static func interval(_ offset: Int) -> IntervalNumber {
        IntervalNumber(rawValue: UInt32(Int(noon.rawValue) + offset))
    }

    private static func published(_ phone: Phone) -> [ExportedKey] { phone.diagnosisKeys().map(ExportedKey.init) }

    @Test("a phone finds exactly the intervals of its encounters, with the risk of their day")
    func encounter() throws {
        var (patient, contact) = (Phone(at: Self.now), Phone(at: Self.now))
        try contact.meet(&patient, from: Self.noon, intervals: 3)
        try contact.meet(&patient, from: Self.interval(-144), intervals: 1)

        let matches = contact.matches(among: Self.published(patient))
        #expect(Set(matches.map(\.interval)) == [0, 1, 2, -144].map(Self.interval).reduce(into: []) { $0.insert($1) })
        #expect(matches.count == 4)
        for match in matches {
            let key = try #require(patient.diagnosisKeys().first { $0.data == match.key })
            #expect(key.rollingPeriod.contains(match.interval))
            #expect(match.transmissionRiskLevel == key.transmissionRiskLevel)
        }
        // Whoever was met by both finds out as well.
        #expect(patient.matches(among: Self.published(contact)).count == 4)
    }

    @Test("a phone that met nobody, or somebody else, finds nothing among a thousand keys")
    func stranger() throws {
        var (one, other) = (Phone(at: Self.now), Phone(at: Self.now))
        try one.meet(&other, from: Self.noon, intervals: 6)
        let strangers = (0..<70).flatMap { _ in Self.published(Phone(at: Self.now)) }
        #expect(strangers.count == 980)
        #expect(one.matches(among: strangers).isEmpty)
        #expect(Phone(at: Self.now).matches(among: Self.published(one)).isEmpty)
    }

    @Test("an encounter over midnight is found under both days' keys")
    func midnight() throws {
        var (patient, contact) = (Phone(at: Self.now), Phone(at: Self.now))
        try contact.meet(&patient, from: Self.interval(71), intervals: 2)
        let matches = contact.matches(among: Self.published(patient))
        #expect(matches.map(\.interval) == [Self.interval(71), Self.interval(72)])
        #expect(Set(matches.map(\.key)).count == 2)
    }

    @Test("clocks may be two hours apart, and no more", arguments: [-13, -12, -1, 0, 1, 12, 13])
    func tolerance(offset: Int) throws {
        let patient = Phone(at: Self.now)
        var contact = Phone(at: Self.now)
        let broadcast = try #require(try patient.broadcast(in: Self.noon))
        contact.hear(broadcast, in: Self.interval(offset))
        let matches = contact.matches(among: Self.published(patient))
        #expect(matches.map(\.interval) == (abs(offset) <= 12 ? [Self.noon] : []))
    }

    @Test("a broadcast that was recorded and played back a day later is no encounter")
    func replay() throws {
        let patient = Phone(at: Self.now)
        var contact = Phone(at: Self.now)
        contact.hear(try #require(try patient.broadcast(in: Self.noon)), in: Self.interval(144))
        #expect(contact.matches(among: Self.published(patient)).isEmpty)
    }

    @Test("a key counts within its rolling period only")
    func period() throws {
        var (patient, contact) = (Phone(at: Self.now), Phone(at: Self.now))
        try contact.meet(&patient, from: Self.noon, intervals: 4)
        let key = try #require(patient.diagnosisKeys().first { $0.rollingPeriod.contains(Self.noon) })
        // Used until 12:20 only.
        let shorter = DiagnosisKey(
            data: key.data, rollingPeriod: try #require(RollingPeriod(start: key.rollingPeriod.start, length: 74)),
            transmissionRiskLevel: key.transmissionRiskLevel,
            daysSinceOnsetOfSymptoms: key.daysSinceOnsetOfSymptoms, reportType: key.reportType)
        let matches = contact.matches(among: [ExportedKey(shorter)])
        #expect(matches.map(\.interval) == [Self.interval(0), Self.interval(1)])
    }

    @Test("a phone shares fourteen whole days, not today, and the rules take all of them")
    func diagnosisKeys() throws {
        let keys = Phone(at: Self.now).diagnosisKeys()
        #expect(
            keys.map(\.rollingPeriod.start) == (1...14).reversed().map { Self.today.advanced(by: -$0).firstInterval })
        #expect(keys.allSatisfy { $0.rollingPeriod.length == 144 })
        #expect(UploadRules().current(keys, at: Self.now) == keys)
        #expect(Set(keys.map(\.data)).count == 14)
    }

    @Test("before two weeks ago and after today a phone has nothing to broadcast")
    func silence() throws {
        let phone = Phone(at: Self.now)
        let first = Self.today.advanced(by: -14).firstInterval.rawValue
        let end = Self.today.advanced(by: 1).firstInterval.rawValue
        #expect(try phone.broadcast(in: IntervalNumber(rawValue: first - 1)) == nil)
        #expect(try phone.broadcast(in: IntervalNumber(rawValue: first)) != nil)
        #expect(try phone.broadcast(in: IntervalNumber(rawValue: end - 1)) != nil)
        #expect(try phone.broadcast(in: IntervalNumber(rawValue: end)) == nil)
    }
}

extension RollingPeriod {
    /// Whether the key was in use in an interval.
    fileprivate func contains(_ interval: IntervalNumber) -> Bool { start <= interval && interval < end }
}
