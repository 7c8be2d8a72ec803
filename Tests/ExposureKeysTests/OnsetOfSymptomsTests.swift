import ExposureKeys
import FoundationEssentials
import Testing

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
}
