import ExposureKeys
import Exposures
import FoundationEssentials
import Testing

@Suite struct KeyRingTests {
    private static let today = Day(number: 20_600)
    private static let metadata = BroadcastMetadata(transmitPower: -20, calibrationConfidence: .high)

    private static func at(_ hour: Int, _ minute: Int = 0, day: Day = today) -> Date {
        Date(timeIntervalSince1970: Double(day.startSeconds + Int64(hour * 3600 + minute * 60)))
    }

    private static func ring() -> (KeyRing, SystemRandomNumberGenerator) {
        var random = SystemRandomNumberGenerator()
        return (KeyRing(at: at(9), using: &random), random)
    }

    /// That periods follow one another without a gap, each within its day.
    private static func isSound(_ ring: KeyRing) -> Bool {
        zip(ring.keys, ring.keys.dropFirst()).allSatisfy { $0.period.end == $1.period.start }
            && ring.keys.allSatisfy {
                $0.period.start.startOfDay == IntervalNumber(rawValue: $0.period.end.rawValue - 1).startOfDay
            }
            && Set(ring.keys.map(\.data)).count == ring.keys.count
    }

    @Test func `there is a key for today and each of the last 14 days`() {
        let (ring, _) = Self.ring()
        #expect(ring.keys.map(\.day) == (0...14).reversed().map { Self.today.advanced(by: -$0) })
        #expect(ring.keys.allSatisfy { $0.period.length == 144 })
        #expect(Self.isSound(ring))
    }

    @Test("days that pass add keys, and take the oldest ones away", arguments: [0, 1, 2, 14, 15, 400])
    func live(days: Int) {
        var (ring, random) = Self.ring()
        let before = ring.keys.map(\.data)
        let day = Self.today.advanced(by: days)
        ring.live(until: Self.at(23, 59, day: day), using: &random)
        #expect(ring.keys.map(\.day) == (0...14).reversed().map { day.advanced(by: -$0) })
        #expect(ring.keys.prefix(max(0, 15 - days)).map(\.data) == Array(before.dropFirst(days)))
        #expect(Self.isSound(ring))
    }

    @Test func `a key that is replaced ends before the present interval, and another goes on to the end of the day`()
        throws
    {
        var (ring, random) = Self.ring()
        let before = try #require(ring.keys.last)
        ring.rollOver(at: Self.at(9, 34), using: &random)
        #expect(ring.keys.count == 16)
        let (old, new) = (ring.keys[14], ring.keys[15])
        #expect(old.data == before.data && old.period.start == before.period.start && old.period.length == 57)
        #expect(new.period.length == 144 - 57 && new.day == Self.today)
        #expect(Self.isSound(ring))
    }

    @Test func `nobody can be taken for the phone with a key that it gave away`() throws {
        var (ring, random) = Self.ring()
        let before = ring
        ring.rollOver(at: Self.at(9, 34), using: &random)
        let start = Self.today.firstInterval.rawValue
        for offset: UInt32 in [0, 56, 57, 58, 143] {
            let interval = IntervalNumber(rawValue: start + offset)
            let broadcast = try #require(try ring.advertisement(at: interval, Self.metadata))
            #expect(try (broadcast == before.advertisement(at: interval, Self.metadata)) == (offset < 57))
        }
    }

    @Test func `a key is replaced once an interval, and as often as there are intervals in a day`() {
        var (ring, random) = Self.ring()
        for minute in 0..<1440 { ring.rollOver(at: Self.at(0, minute), using: &random) }
        #expect(ring.keys.count == 14 + 144)
        #expect(Self.isSound(ring))
        ring.live(until: Self.at(0, day: Self.today.advanced(by: 15)), using: &random)
        #expect(ring.keys.count == 15)
    }

    @Test func `a clock that was set back replaces nothing`() {
        var (ring, random) = Self.ring()
        ring.rollOver(at: Self.at(9, day: Self.today.advanced(by: -1)), using: &random)
        #expect(ring.keys.count == 15)
    }

    @Test func `before two weeks ago and after today there is nothing to broadcast`() throws {
        let (ring, _) = Self.ring()
        let first = Self.today.advanced(by: -14).firstInterval.rawValue
        let end = Self.today.advanced(by: 1).firstInterval.rawValue
        #expect(
            try [first - 1, first, end - 1, end].map {
                try ring.advertisement(at: IntervalNumber(rawValue: $0), Self.metadata) != nil
            } == [false, true, true, false])
    }
}
