import CountryModel
import ExposureFormat
import ExposureKeys
import Exposures

/// A broadcast that was received at a venue, by whoever put a receiver there.
struct VenueSighting: Sendable, Equatable {
    let identifier: RollingProximityIdentifier
    let interval: IntervalNumber
    /// Whose it was, which the receiver doesn't know.
    let person: PersonID
}

extension Attack {
    /// Whoever has receivers in all venues finds the broadcasts of published keys in their records. Which of two people who were seen on
    /// another day is one seen before? The one whose key stands nearer in the packages: only few people upload in one hour.
    ///
    /// The weakness, which no server can prevent: broadcasts of one day, which all follow from one published key.
    static func sightings(_ sightings: [VenueSighting], in output: PublicOutput, seed: UInt64) throws -> Attack {
        let seen = try Self.seen(sightings, in: output)
        let byPerson = Dictionary(grouping: seen, by: \.person)
        let byDay = Dictionary(grouping: seen, by: \.day)
        return Attack(
            "who was seen on two days, by receivers in all venues and published keys", on: false, control: true
        ) { isOneDay in
            var random = RandomStream(seed: seed, attackers: 6)
            func isAsked(_ one: Seen, _ other: Seen) -> Bool {
                one.interval != other.interval && (one.day == other.day) == isOneDay
            }
            return seen.compactMap { first in
                let right = byPerson[first.person]?.filter { isAsked(first, $0) }.randomElement(using: &random)
                let others = isOneDay ? byDay[first.day] ?? [] : seen
                // Most are somebody else's; a filter would look at all of them for each question.
                let wrong = (0..<20).lazy.compactMap { _ in others.randomElement(using: &random) }
                    .first { $0.person != first.person && isAsked(first, $0) }
                guard let right, let wrong else { return nil }
                return (-first.distance(to: right), -first.distance(to: wrong))
            }
        }
    }

    /// A broadcast of a published key.
    private struct Seen {
        let day: Day
        let interval: IntervalNumber
        let person: PersonID
        /// The number of the key's package, and the key's place there.
        let package: Int
        let place: Int

        func distance(to other: Seen) -> Double {
            abs(Double(package - other.package)) * 1_000_000 + abs(Double(place - other.place))
        }
    }

    /// Fillers were broadcast by nobody, so only the other keys are derived here.
    private static func seen(_ sightings: [VenueSighting], in output: PublicOutput) throws -> [Seen] {
        let heard = Dictionary(grouping: sightings, by: \.interval)
        return try output.packages.enumerated().flatMap { number, package in
            try package.keys.enumerated().flatMap { place, key -> [Seen] in
                guard output.isReal(key) else { return [] }
                let schedule = KeySchedule(key.data)
                return try (key.rollingPeriod.start.rawValue..<key.rollingPeriod.end.rawValue).flatMap { raw in
                    let interval = IntervalNumber(rawValue: raw)
                    guard let heard = heard[interval] else { return [Seen]() }
                    let identifier = try schedule.identifier(at: interval)
                    return heard.filter { $0.identifier == identifier }.map { sighting in
                        Seen(
                            day: Day(number: Int32(raw / IntervalNumber.perDay)), interval: interval,
                            person: sighting.person, package: number, place: place)
                    }
                }
            }
        }
    }
}
