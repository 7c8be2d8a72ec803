import CMatching
import ExposureFormat
import ExposureKeys
import Exposures
import TestSupport
import Testing

@testable import Phone

/// Each of the ways to compute broadcasts that run on this machine, the portable one among them, finds what a plain
/// implementation finds.
@Suite(.heavy) struct MatcherTests {
    /// Midnight of a day.
    private static let day: UInt32 = 2_642_976

    // MARK: Every broadcast

    @Test("broadcasts are those of the published test vectors", arguments: MatchingCode.available)
    func vectors(code: MatchingCode) throws {
        let key = ExportedKey(try #require(KeyData(KeyScheduleTests.key)), from: Self.day, length: 144)
        let heard = try KeyScheduleTests.broadcasts.map {
            Encounter(try #require(RollingProximityIdentifier($0.identifier)), $0.interval)
        }
        let matches = Matcher(heard: heard, code: code).matches(among: [key])
        #expect(matches.map(\.interval.rawValue) == [Self.day, Self.day + 1, Self.day + 143])
    }

    /// A whole day and one interval, at the first and the last interval that there are, and across that border.
    static let periods: [(start: UInt32, length: UInt32)] = [
        (day, 144), (day, 1), (day + 143, 2), (0, 144), (UInt32.max - 143, 144), (UInt32.max, 1), (UInt32.max - 3, 15),
        (UInt32.max - 70, 144), (day, 16), (day, 17), (day, 47), (day, 48), (day, 49), (day, 143),
        (UInt32.max >> 1, 130),
    ]

    @Test("with a filter that all pass, every broadcast of every key comes out", arguments: MatchingCode.available)
    func everyBroadcast(code: MatchingCode) throws {
        var random = RepeatableRandom(state: 1)
        let keys = Self.periods.map {
            vigil_matching_key(high: random.next(), low: random.next(), start: $0.start, length: $0.length)
        }
        let expected = try keys.enumerated().flatMap { number, key in
            let schedule = KeySchedule(KeyData(high: key.high, low: key.low))
            return try (0..<key.length).map { offset in
                let interval = key.start &+ offset
                return Broadcast(
                    key: number, interval: interval,
                    identifier: try schedule.identifier(at: IntervalNumber(rawValue: interval)))
            }
        }
        #expect(Self.broadcasts(of: keys, code, filter: [.max, .max]) == expected)
    }

    @Test(
        "a period of no interval has no broadcast, and one that is too long a day's", arguments: MatchingCode.available)
    func invalidPeriods(code: MatchingCode) {
        let keys = [0, 145, .max].map { vigil_matching_key(high: 1, low: 2, start: Self.day, length: $0) }
        let broadcasts = Self.broadcasts(of: keys, code, filter: [.max, .max])
        #expect(broadcasts.map(\.key) == Array(repeating: 1, count: 144) + Array(repeating: 2, count: 144))
    }

    @Test("the filter decides by the bit that belongs to the first four bytes", arguments: MatchingCode.available)
    func filter(code: MatchingCode) {
        let keys = (0..<40).map { vigil_matching_key(high: $0, low: 7, start: Self.day, length: 144) }
        let all = Self.broadcasts(of: keys, code, filter: [.max, .max])
        // Of 64 words the first has one bit, the second two, and so on.
        let words = (1...64).map { UInt64.max >> (64 - UInt64($0)) }
        let expected = all.filter { broadcast in
            let number = UInt32(truncatingIfNeeded: broadcast.identifier.first)
            return number % 64 <= number >> 26
        }
        #expect((all.count / 3..<all.count * 2 / 3).contains(expected.count))
        #expect(Self.broadcasts(of: keys, code, filter: words) == expected)
        #expect(Self.broadcasts(of: keys, code, filter: [0, 0]).isEmpty)
    }

    /// What passed, of which of the keys.
    private struct Broadcast: Equatable {
        let key: Int
        let interval: UInt32
        let identifier: RollingProximityIdentifier
    }

    /// Calls until all keys are done, with no more room than there must be.
    private static func broadcasts(
        of keys: [vigil_matching_key], _ code: MatchingCode, filter words: [UInt64]
    ) -> [Broadcast] {
        let shift = UInt32(32 - words.count.trailingZeroBitCount)
        let room = Int(VIGIL_MATCHING_BATCH * VIGIL_MATCHING_PER_KEY)
        var broadcasts: [Broadcast] = []
        var done = 0
        while done < keys.count {
            var doneNow = 0
            let found = [vigil_matching_candidate](unsafeUninitializedCapacity: room) { buffer, count in
                count = words.withUnsafeBufferPointer { words in
                    let filter = vigil_matching_filter(words: words.baseAddress, shift: shift)
                    return vigil_matching_candidates(
                        code.hash, code.cipher, Array(keys[done...]), keys.count - done, filter, buffer.baseAddress,
                        room, &doneNow)
                }
            }
            broadcasts += found.map { found in
                Broadcast(
                    key: done + Int(found.key), interval: found.interval,
                    identifier: RollingProximityIdentifier(first: found.first, second: found.second))
            }
            done += doneNow
        }
        return broadcasts
    }

    // MARK: The same as the plain implementation

    /// Of 150 keys, some were heard: in time, too late or early, outside their periods, several times; and so were strangers.
    private static func randomWorkload(_ seed: UInt64, heard strangers: Int) throws -> ([ExportedKey], [Encounter]) {
        var random = RepeatableRandom(state: seed)
        let keys = (0..<150).map { _ in
            ExportedKey(
                KeyData(high: random.next(), low: random.next()), from: day + 144 * .random(in: 0..<14, using: &random),
                length: .random(in: 0..<5, using: &random) == 0 ? .random(in: 1...144, using: &random) : 144,
                level: .random(in: 1...8, using: &random))
        }
        var heard = (0..<strangers).map { _ in
            Encounter(
                RollingProximityIdentifier(first: random.next(), second: random.next()),
                day + .random(in: 0..<(14 * 144), using: &random))
        }
        for key in keys where Bool.random(using: &random) {
            let sent = key.rollingPeriod.start.rawValue + .random(in: 0..<144, using: &random)
            let identifier = try KeySchedule(key.data).identifier(at: IntervalNumber(rawValue: sent))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                heard.append(Encounter(identifier, sent - 16 + .random(in: 0...32, using: &random)))
            }
        }
        return (keys, heard.shuffled(using: &random))
    }

    @Test(
        "random keys: the same matches, in the same order, as the plain implementation",
        arguments: MatchingCode.available, [0, 3, 3000])
    func random(code: MatchingCode, strangers: Int) throws {
        let (keys, heard) = try Self.randomWorkload(UInt64(strangers) + 11, heard: strangers)
        let matches = Matcher(heard: heard, code: code).matches(among: keys)
        #expect(matches.count > 10)
        #expect(try matches == PlainMatcher(heard: heard).matches(among: keys))
    }

    @Test(
        "any number of keys is done, whole batches or not", arguments: MatchingCode.available,
        [1, 7, 8, 9, 16, 511, 512, 513, 1025])
    func counts(code: MatchingCode, count: Int) throws {
        let keys = (0..<count).map { ExportedKey(KeyData(high: 5, low: UInt64($0)), from: Self.day, length: 6) }
        // The last key's last broadcast, and the first key's first.
        let heard = try [(count - 1, Self.day + 5), (0, Self.day)].map { number, interval in
            Encounter(try KeySchedule(keys[number].data).identifier(at: IntervalNumber(rawValue: interval)), interval)
        }
        let matches = Matcher(heard: heard, code: code).matches(among: keys)
        #expect(matches.map(\.key) == [keys[0].data, keys[count - 1].data])
        #expect(matches.map(\.interval.rawValue) == [Self.day, Self.day + 5])
    }

    @Test("everything that was sent was heard: more matches than there is room for at one time")
    func everything() throws {
        let keys = (0..<30).map { ExportedKey(KeyData(high: 6, low: UInt64($0)), from: Self.day, length: 144) }
        let heard = try keys.flatMap { key in
            let schedule = KeySchedule(key.data)
            return try (Self.day..<Self.day + 144).map {
                Encounter(try schedule.identifier(at: IntervalNumber(rawValue: $0)), $0)
            }
        }
        let expected = keys.flatMap { key in (0..<144).map { Pair(key: key.data, interval: Self.day + $0) } }
        for code in MatchingCode.available {
            let matches = Matcher(heard: heard, code: code).matches(among: keys)
            #expect(matches.map { Pair(key: $0.key, interval: $0.interval.rawValue) } == expected)
        }
    }

    private struct Pair: Hashable {
        let key: KeyData
        let interval: UInt32
    }

    // MARK: What somebody might think of

    @Test(
        "identifiers that begin as a real one, or differ from it in one bit, are strangers",
        arguments: MatchingCode.available)
    func lookalikes(code: MatchingCode) throws {
        let key = ExportedKey(KeyData(high: 1, low: 2), from: Self.day, length: 144)
        let real = try KeySchedule(key.data).identifier(at: IntervalNumber(rawValue: Self.day + 9))
        var heard = (0..<64).flatMap { bit in
            [
                RollingProximityIdentifier(first: real.first ^ 1 << UInt64(bit), second: real.second),
                RollingProximityIdentifier(first: real.first, second: real.second ^ 1 << UInt64(bit)),
            ]
        }
        heard.append(RollingProximityIdentifier(first: real.second, second: real.first))
        let lookalikes = heard.map { Encounter($0, Self.day + 9) }
        #expect(Matcher(heard: lookalikes, code: code).matches(among: [key]).isEmpty)
        let all = lookalikes + [Encounter(real, Self.day + 9)]
        #expect(Matcher(heard: all, code: code).matches(among: [key]).map(\.interval.rawValue) == [Self.day + 9])
    }

    @Test("identifiers that are all in one place of the filter change nothing", arguments: MatchingCode.available)
    func onePlace(code: MatchingCode) throws {
        var (keys, heard) = try Self.randomWorkload(21, heard: 0)
        keys = Array(keys.prefix(40))
        let places = heard.prefix(3).map { $0.identifier.first & 0xffff_ffff }
        for number in 0..<3000 {
            let first = places[number % 3] | UInt64(number) << 32
            heard.append(Encounter(RollingProximityIdentifier(first: first, second: 0), Self.day))
        }
        let expected = try PlainMatcher(heard: heard).matches(among: keys)
        #expect(!expected.isEmpty)
        #expect(Matcher(heard: heard, code: code).matches(among: keys) == expected)
    }

    @Test(
        "one identifier heard at several times: one of them within two hours is enough",
        arguments: [
            ([-13, 13], false), ([-13, 12], true), ([-144, -12, 144], true), ([0, 0, 0], true), ([144], false),
        ])
    func severalTimes(offsets: [Int], isFound: Bool) throws {
        let key = ExportedKey(KeyData(high: 3, low: 4), from: Self.day, length: 144)
        let identifier = try KeySchedule(key.data).identifier(at: IntervalNumber(rawValue: Self.day + 70))
        let heard = offsets.map { Encounter(identifier, UInt32(Int(Self.day) + 70 + $0)) }
        for code in MatchingCode.available {
            let matches = Matcher(heard: heard, code: code).matches(among: [key])
            #expect(matches.map(\.interval.rawValue) == (isFound ? [Self.day + 70] : []))
        }
    }

    @Test("at the first and the last of all intervals, two hours are two hours and don't go round")
    func ends() throws {
        let last = UInt32(Int32.max)
        let first = ExportedKey(KeyData(high: 7, low: 8), from: 0, length: 144)
        let final = ExportedKey(KeyData(high: 9, low: 9), from: last - 144, length: 144)
        func heard(_ key: ExportedKey, _ sent: UInt32, at received: UInt32) throws -> Encounter {
            Encounter(try KeySchedule(key.data).identifier(at: IntervalNumber(rawValue: sent)), received)
        }
        let inTime = try [heard(first, 0, at: 12), heard(final, last - 1, at: last + 11)]
        let late = try [
            heard(first, 1, at: 14), heard(first, 2, at: .max), heard(final, last - 2, at: last + 11),
            heard(final, last - 3, at: .max), heard(final, last - 4, at: 0),
        ]
        for code in MatchingCode.available {
            let matches = Matcher(heard: inTime + late, code: code).matches(among: [first, final])
            #expect(matches.map(\.interval.rawValue) == [0, last - 1])
        }
    }

    @Test("a key that was published twice is found twice, under each of its risks")
    func twice() throws {
        let one = ExportedKey(KeyData(high: 3, low: 4), from: Self.day, length: 144, level: 3)
        let other = ExportedKey(one.data, from: Self.day, length: 20, level: 8)
        let heard = [Encounter(try KeySchedule(one.data).identifier(at: IntervalNumber(rawValue: Self.day)), Self.day)]
        for code in MatchingCode.available {
            let matches = Matcher(heard: heard, code: code).matches(among: [one, other, one])
            #expect(matches.map(\.transmissionRiskLevel.rawValue) == [3, 8, 3])
        }
    }

    @Test("who heard nothing, or looks through nothing, finds nothing")
    func nothing() throws {
        let (keys, heard) = try Self.randomWorkload(5, heard: 5)
        #expect(Matcher(heard: []).matches(among: keys).isEmpty)
        #expect(Matcher(heard: heard).matches(among: []).isEmpty)
    }

    @Test(
        "the more was heard the larger the filter, up to 16 Mbit; everything heard passes",
        arguments: [1, 9, 5000, 40_000])
    func filterSizes(count: Int) {
        var random = RepeatableRandom(state: 31)
        let heard = (0..<count).map { _ in RollingProximityIdentifier(first: random.next(), second: random.next()) }
        let filter = HeardFilter(heard)
        #expect(heard.allSatisfy(filter.passes))
        let strangers = (0..<50_000).count { _ in
            filter.passes(RollingProximityIdentifier(first: random.next(), second: random.next()))
        }
        // One of 256 × 16 or fewer.
        #expect(strangers < 30)
    }
}

extension ExportedKey {
    fileprivate init(_ data: KeyData, from start: UInt32, length: UInt32, level: Int = 5) {
        guard let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
            let level = TransmissionRiskLevel(rawValue: level)
        else { preconditionFailure("periods and levels of these tests are valid") }
        self.init(
            data: data, rollingPeriod: period, transmissionRiskLevel: level, reportType: .confirmedTest,
            daysSinceOnsetOfSymptoms: nil)
    }
}

extension Encounter {
    fileprivate init(_ identifier: RollingProximityIdentifier, _ interval: UInt32) {
        self.init(identifier: identifier, interval: IntervalNumber(rawValue: interval))
    }
}
