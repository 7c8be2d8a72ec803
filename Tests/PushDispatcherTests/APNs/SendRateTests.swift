import Loop
import Testing

@testable import PushDispatcher

/// The rate limit of pushes.
struct SendRateTests {
    private static let start = Moment(nanoseconds: 1_000_000_000_000)

    @Test("a burst of a tenth of a second is sent at once, and then the rate holds")
    func bucket() {
        var rate = SendRate(perSecond: 1000, now: Self.start)
        #expect(rate.available(at: Self.start) == 100)
        rate.take(100)
        #expect(rate.available(at: Self.start) == 0)
        #expect(rate.nextMoment(after: Self.start) == Self.start + .milliseconds(1))
        #expect(rate.available(at: Self.start + .milliseconds(50)) == 50)
        #expect(rate.available(at: Self.start + .seconds(10)) == 100)
    }

    @Test("a 503 halves the rate, at most once a second, down to a floor above zero")
    func halves() {
        var rate = SendRate(perSecond: 1000, now: Self.start)
        rate.overloaded(at: Self.start)
        rate.overloaded(at: Self.start + .milliseconds(999))
        #expect(rate.perSecond == 500)
        rate.overloaded(at: Self.start + .seconds(1))
        #expect(rate.perSecond == 250)
        for second in 2..<60 { rate.overloaded(at: Self.start + .seconds(Int64(second))) }
        #expect(rate.perSecond == 1)
        #expect(rate.available(at: Self.start + .seconds(62)) == 1)
    }

    @Test("a thousand accepted pushes restore a tenth of the full rate, up to the full rate")
    func regains() {
        var rate = SendRate(perSecond: 1000, now: Self.start)
        rate.overloaded(at: Self.start)
        for _ in 0..<999 { rate.accepted() }
        #expect(rate.perSecond == 500)
        rate.accepted()
        #expect(rate.perSecond == 600)
        for _ in 0..<10_000 { rate.accepted() }
        #expect(rate.perSecond == 1000)
    }
}
