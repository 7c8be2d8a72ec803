import ExposureKeys
import Testing

struct RollingPeriodTests {
    @Test("a period has 1 to 144 intervals", arguments: [(0, false), (1, true), (144, true), (145, false)])
    func length(length: UInt32, valid: Bool) {
        #expect((RollingPeriod(start: IntervalNumber(rawValue: 2_649_600), length: length) != nil) == valid)
    }

    @Test("a period that ends after the last interval number is refused")
    func overflow() {
        #expect(RollingPeriod(start: IntervalNumber(rawValue: .max), length: 1) == nil)
        #expect(RollingPeriod(start: IntervalNumber(rawValue: UInt32(Int32.max)), length: 1) == nil)
    }

    @Test("the start of a day is a multiple of 144")
    func startOfDay() {
        #expect(IntervalNumber(rawValue: 2_649_743).startOfDay == IntervalNumber(rawValue: 2_649_600))
    }
}
