import ExposureFormat
import ExposureKeys
import Exposures

@testable import Phone

/// Matching as the specification tells it, one broadcast after the other, by the module Crypto: what ``Matcher`` must equal.
struct PlainMatcher {
    let heard: [Encounter]

    func matches(among published: [ExportedKey]) throws -> [Matcher.Match] {
        let intervals = Dictionary(grouping: heard, by: \.identifier)
        return try published.flatMap { key in
            let schedule = KeySchedule(key.data)
            return try (key.rollingPeriod.start.rawValue..<key.rollingPeriod.end.rawValue).compactMap { number in
                let interval = IntervalNumber(rawValue: number)
                let identifier = try schedule.identifier(at: interval)
                let heardAt = intervals[identifier] ?? []
                let near = heardAt.contains { abs(Int64($0.interval.rawValue) - Int64(number)) <= 12 }
                return near ? Matcher.Match(published: key, interval: interval, identifier: identifier) : nil
            }
        }
    }
}

/// Random numbers that are the same in each run (SplitMix64).
struct RepeatableRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
