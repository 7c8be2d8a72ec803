import ExposureKeys
import FoundationEssentials
import Testing

@testable import Phone

/// What keys are sent with (cwa-app-android, `DaysSinceOnsetOfSymptomsVectorDeterminer.kt`). The levels are tested with the visits.
@Suite struct OnsetOfSymptomsTests {
    private static let today = Day(number: 20_600)

    @Test(
        "each answer has a number for the key's age",
        arguments: [
            (OnsetOfSymptoms.unsaid, Int32(4000)), (.none, 3000), (.unknownDay, 2000), (.lastWeek, 701),
            (.weekBefore, 708),
            (.earlier, 715), (.day(today), 0), (.day(today.advanced(by: -5)), 5), (.day(today.advanced(by: -21)), 21),
        ])
    func daysSinceOnset(onset: OnsetOfSymptoms, newest: Int32) {
        let days = (0...14).map { onset.daysSinceOnset(of: Self.today.advanced(by: -$0), today: Self.today)?.rawValue }
        #expect(days == (0...14).map { newest - $0 })
        #expect(onset.daysSinceOnset(of: Self.today.advanced(by: 1), today: Self.today) == nil)
    }

    @Test("a phone sends level and days of the answer, and both keys of a day with the same")
    func keys() throws {
        let now = Self.today.firstHour.advanced(by: 9).start
        var phone = Phone(at: now)
        phone.rollOver(at: now)
        let onset = OnsetOfSymptoms.day(Self.today.advanced(by: -1))
        let keys = phone.diagnosisKeys(onset)
        #expect(keys.count == 15)
        #expect(keys.suffix(3).map(\.daysSinceOnsetOfSymptoms.rawValue) == [-1, 0, 1])
        #expect(keys.suffix(3).map(\.transmissionRiskLevel.rawValue) == [8, 8, 8])
        #expect(keys.map(\.rollingPeriod.length) == Array(repeating: 144, count: 14) + [54])
        // What is still in use isn't sent.
        #expect(phone.keys.count == 16)
        let inUse = try #require(phone.keys.last?.data)
        #expect(!keys.map(\.data).contains(inUse))
        #expect(UploadRules().current(keys, at: now) == keys)
        let later = now + 3600
        phone.rollOver(at: later)
        let ofToday = phone.diagnosisKeys(of: Self.today...Self.today, onset)
        #expect(ofToday.map(\.rollingPeriod.length) == [54, 60])
        #expect(Set(ofToday.map(\.rollingPeriod.start)) == [Self.today.firstInterval])
        #expect(Set(ofToday.map(\.daysSinceOnsetOfSymptoms)).count == 1)
        #expect(Set(ofToday.map(\.transmissionRiskLevel)).count == 1)
    }
}
