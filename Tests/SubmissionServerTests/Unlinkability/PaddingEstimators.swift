import Foundation

/// What observers of Corona-Warn-App computed from its published packages to see through the padding:
/// <https://github.com/mh-/diagnosis-keys>.
struct PaddingEstimators {
    let sample: PublishedSample

    private var counts: [Int] { Array(sample.multiplicities.values) }

    /// The greatest number that divides how often each metadata occurs: where every key has as many copies, it is their
    /// number, or a multiple of it where few people uploaded.
    var commonDivisor: Int { counts.reduce(0, Self.greatestCommonDivisor) }

    /// How many people's keys these are if each key is there so many times: a person's keys have one distance between day
    /// and onset, and each day's level but once, so that as many people had an onset as its most frequent day has keys.
    func people(copies: Int) -> Double {
        var ofDay: [Int: [Int: Int]] = [:]
        for (metadata, count) in sample.multiplicities {
            ofDay[metadata.onset + metadata.daysAgo, default: [:]][metadata.daysAgo, default: 0] += count
        }
        let people = ofDay.values.reduce(0) { $0 + ($1.values.max() ?? 0) }
        return Double(people) / Double(max(1, copies))
    }

    /// The same for those who said nothing about symptoms and had the phone for two weeks, whose levels are well known: as
    /// many as the rarest of their published days has keys.
    var peopleOfFullProfile: Double {
        let profile = (1...7).map { daysAgo in
            sample.multiplicities.filter { $0.key.onset == 4000 - $0.key.daysAgo && $0.key.daysAgo == daysAgo }
                .values.reduce(0, +)
        }
        return Double(profile.min() ?? 0)
    }

    /// How unevenly the keys are spread over days, as a multiple of what chance would do.
    var dispersionOfDays: Double { Self.dispersion(of: totals(\.daysAgo)) }

    /// The same over levels.
    var dispersionOfLevels: Double { Self.dispersion(of: totals(\.level)) }

    /// The same over all metadata.
    var dispersionOfMetadata: Double { Self.dispersion(of: counts) }

    /// How many kinds of metadata occur once.
    var uncommon: Double { Double(counts.count { $0 == 1 }) }

    /// How many kinds of metadata occur.
    var kinds: Double { Double(counts.count) }

    /// How many keys are published: the size class, if nothing goes wrong.
    var size: Int { counts.reduce(0, +) }

    /// Keys of the commonest and of the rarest statement about symptoms.
    var unsaid: Double { onsets(3900...4000) }
    var knownDay: Double { onsets(-15...14) }

    /// Everything that could tell how many people are in a set, by name.
    var all: [(name: String, value: Double)] {
        [
            ("greatest common divisor", Double(commonDivisor)), ("people by profile", people(copies: 1)),
            ("people of the full profile", peopleOfFullProfile), ("dispersion of days", dispersionOfDays),
            ("dispersion of levels", dispersionOfLevels), ("dispersion of metadata", dispersionOfMetadata),
            ("uncommon metadata", uncommon), ("kinds of metadata", kinds), ("nothing said", unsaid),
            ("known onset", knownDay),
        ] + (1...14).map { day in ("keys of day \(day)", Double(totals(\.daysAgo)[day] ?? 0)) }
    }

    private func onsets(_ range: ClosedRange<Int>) -> Double {
        Double(sample.multiplicities.reduce(0) { $0 + (range.contains($1.key.onset) ? $1.value : 0) })
    }

    private func totals(_ part: KeyPath<PublishedSample.Metadata, Int>) -> [Int: Int] {
        sample.multiplicities.reduce(into: [:]) { $0[$1.key[keyPath: part], default: 0] += $1.value }
    }

    private static func dispersion(of totals: [Int: Int]) -> Double { dispersion(of: Array(totals.values)) }

    /// Variance by mean.
    private static func dispersion(of counts: [Int]) -> Double {
        guard !counts.isEmpty else { return 0 }
        let mean = Double(counts.reduce(0, +)) / Double(counts.count)
        let square = counts.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        return square / Double(counts.count) / mean
    }

    static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while other > 0 { (one, other) = (other, one % other) }
        return one
    }
}
