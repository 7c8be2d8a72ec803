import ExposureFormat
import ExposureKeys
import FederationFormat
import TestSupport

/// What both feeds have of each hour that could tell how many people uploaded in it, and how many of them agreed that other countries get
/// their keys.
struct FeedCounts {
    /// A part of both feeds: keys that other countries have or don't.
    private struct Part {
        /// In the hour's own package.
        var now = 0
        /// In a later package: keys of the day of the upload. Their periods say for which hour.
        var later = 0
        var ages: [Int: Int] = [:]
        var levels: [Int: Int] = [:]
    }

    private let hours: [(hour: Hour, parts: [KeyStream: Part])]
    /// How many uploads each stream had in each hour.
    private let people: [BothFeeds.Folded: Int]

    /// Of those hours whose keys are all published: not the last day's, of which some wait.
    init(_ feeds: BothFeeds) {
        let abroad = Set(feeds.batches.flatMap(\.keys).map(\.data))
        var parts: [Hour: [KeyStream: Part]] = [:]
        for package in feeds.packages {
            for key in package.keys {
                guard let hour = feeds.folded[key.data]?.hour else { continue }
                let stream: KeyStream = abroad.contains(key.data) ? .federated : .home
                var part = parts[hour]?[stream] ?? Part()
                if hour == package.hour { part.now += 1 } else { part.later += 1 }
                let age = (hour.day.firstInterval.rawValue - key.rollingPeriod.start.rawValue) / IntervalNumber.perDay
                part.ages[Int(age), default: 0] += 1
                part.levels[key.transmissionRiskLevel.rawValue, default: 0] += 1
                parts[hour, default: [:]][stream] = part
            }
        }
        let last = feeds.packages.last?.hour.day
        hours = feeds.packages.map(\.hour).filter { $0.day != last }.map { ($0, parts[$0] ?? [:]) }
        people = Dictionary(grouping: feeds.uploads) { BothFeeds.Folded(hour: $0.hour, stream: $0.stream) }
            .mapValues(\.count)
    }

    /// The sizes that each hour's own package shows: of the keys that other countries have, and of the others.
    ///
    /// Without the hours of the day's last slot: the oldest keys expire before that slot is decided.
    var sizes: Set<[KeyStream: Int]> {
        Set(hours.filter { $0.hour.ofDay < 24 - BothFeeds.slotHours }.map { $0.parts.mapValues(\.now) })
    }

    /// The figures of a stream that go further than by luck with how many people's keys are in it, or in the other one: "figure, stream,
    /// people's stream".
    ///
    /// Both streams together have twice as many hours.
    var telling: [String] {
        Self.figures.flatMap { name, figure in
            func ranks(_ stream: KeyStream) -> [Double] {
                Correlation.ranks(hours.map { Double($0.parts[stream].map(figure) ?? 0) })
            }
            let streams = KeyStream.allCases
            return [streams, streams.reversed()].flatMap { people in
                let pairs = zip(streams, people).map { (ranks($0), rankedPeople($1)) }
                let alone = zip(streams, people).enumerated().compactMap { position, names in
                    Self.isTelling([pairs[position]]) ? "\(name), \(names.0), \(names.1)" : nil
                }
                let whose = people == streams ? "own" : "other"
                return alone + (Self.isTelling(pairs) ? ["\(name), both, \(whose)"] : [])
            }
        }
    }

    /// - Parameter ranks: of one figure and another in each stream, which has a mean of its own.
    private static func isTelling(_ ranks: [(figures: [Double], people: [Double])]) -> Bool {
        let (figures, people) = (ranks.flatMap(\.figures), ranks.flatMap(\.people))
        return abs(Correlation.pearson(figures, people))
            > Chance.correlation(of: figures.count - ranks.count + 1)
    }

    private func rankedPeople(_ stream: KeyStream) -> [Double] {
        Correlation.ranks(hours.map { Double(people[BothFeeds.Folded(hour: $0.hour, stream: stream)] ?? 0) })
    }

    private static var figures: [(name: String, of: (Part) -> Int)] {
        let levels = TransmissionRiskLevel.lowestPublished.rawValue...TransmissionRiskLevel.range.upperBound
        return [("keys at once", { $0.now }), ("keys that wait", { $0.later })]
            + (1...13).map { age in ("keys of age \(age)", { $0.ages[age] ?? 0 }) }
            + levels.map { level in ("keys of level \(level)", { $0.levels[level] ?? 0 }) }
    }
}
