import Testing

@testable import Loop

struct MomentTests {
    @Test(
        "a duration moves a moment by whole nanoseconds, and no further than time goes",
        arguments: [
            (Duration.zero, 5_000_000_000), (.seconds(10), 15_000_000_000), (.nanoseconds(1), 5_000_000_001),
            (.nanoseconds(-1), 4_999_999_999), (.milliseconds(-1500), 3_500_000_000), (.seconds(-6), 0),
            (.seconds(9_223_372_036), 9_223_372_041_000_000_000), (.seconds(Int64.max), 9_223_372_041_854_775_807),
            (.seconds(Int64.min), 0),
        ] as [(Duration, UInt64)])
    func additions(duration: Duration, nanoseconds: UInt64) {
        #expect((Moment(nanoseconds: 5_000_000_000) + duration).nanoseconds == nanoseconds)
    }
}
