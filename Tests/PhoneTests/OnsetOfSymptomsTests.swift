import ExposureKeys
import FoundationEssentials
import Testing

@testable import Phone

/// What keys are sent with. The numbers are tested with the type, the levels with the visits.
@Suite struct OnsetOfSymptomsTests {
    private static let today = Day(number: 20_600)

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

    /// What a filler could be told by.
    private struct Said: Hashable {
        /// Of the key's day.
        let age: UInt32
        let level: TransmissionRiskLevel
        let onset: DaysSinceOnset

        init(_ key: DiagnosisKey) {
            age =
                (OnsetOfSymptomsTests.today.firstInterval.rawValue - key.rollingPeriod.start.rawValue)
                / IntervalNumber.perDay
            level = key.transmissionRiskLevel
            onset = key.daysSinceOnsetOfSymptoms
        }
    }

    @Test("fillers say nothing that no phone says, and what phones say of ranges of days is among them")
    func fillers() {
        let hour = Self.today.firstHour.advanced(by: 9)
        var phone = Phone(at: hour.start)
        phone.rollOver(at: hour.start)
        let ranges: [OnsetOfSymptoms] = [.lastWeek, .weekBefore, .earlier]
        let days = (0...21).map { OnsetOfSymptoms.day(Self.today.advanced(by: -$0)) }
        func said(_ answers: [OnsetOfSymptoms]) -> Set<Said> {
            Set(answers.flatMap { phone.diagnosisKeys($0) }.map(Said.init))
        }
        var random = RepeatableRandom(state: 5)
        let fillers = Set(
            (0..<4000).flatMap { _ in UploadModel().keys(uploadedIn: hour, using: &random) }.map(Said.init))
        #expect(fillers.isSubset(of: said([.unsaid, .none, .unknownDay] + ranges + days)))
        #expect(said(ranges).isSubset(of: fillers))
    }

    @Test("an upload of a later day has the values that follow from the day of the answer")
    func laterUpload() {
        let noon = Self.today.firstHour.advanced(by: 12).start
        var phone = Phone(at: noon)
        phone.rollOver(at: noon)
        func values(answeredOn day: Day?) -> [[Int]] {
            let keys = phone.diagnosisKeys(of: Self.today...Self.today, .lastWeek, answeredOn: day)
            return keys.map { [$0.transmissionRiskLevel.rawValue, Int($0.daysSinceOnsetOfSymptoms.rawValue)] }
        }
        #expect(values(answeredOn: Self.today) == [[4, 701]])
        #expect(values(answeredOn: nil) == [[4, 701]])
        phone.live(until: noon + 86_400)
        #expect(values(answeredOn: Self.today) == [[4, 701], [4, 701]])
        // An answer of the next day says something else of the same key, and one of the day before nothing.
        #expect(values(answeredOn: nil) == [[5, 700], [5, 700]])
        #expect(values(answeredOn: Self.today.advanced(by: -1)).isEmpty)
    }
}
