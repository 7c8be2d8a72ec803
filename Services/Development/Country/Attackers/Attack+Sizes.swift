import CountryModel
import ExposureFormat
import ExposureKeys

extension Attack {
    /// In which of two hours did keys of phones appear? In that with the larger package.
    ///
    /// The weakness: packages without fillers.
    static func hoursOfUpload(in output: PublicOutput, seed: UInt64) -> Attack {
        Attack("in which hours people uploaded, by the sizes of packages", on: output, control: output.withoutFillers) {
            attacked in
            var random = RandomStream(seed: seed, attackers: 2)
            // What really happened doesn't depend on what the attacker gets.
            let isBusy = output.packages.map { $0.keys.contains(where: output.isReal) }
            let sizes = zip(attacked.packages, isBusy).map { (size: Double($0.keys.count), isBusy: $1) }
            let busy = sizes.filter(\.isBusy).map(\.size).shuffled(using: &random)
            let quiet = sizes.filter { !$0.isBusy }.map(\.size).shuffled(using: &random)
            return zip(busy, quiet).map { (right: $0, wrong: $1) }
        }
    }

    /// On which of two days did more people upload? Observers of the Corona-Warn-App counted users by the keys of level 6, of which an
    /// upload had one, divided by the greatest padding factor up to 5 that the counts of all levels had in common on most days
    /// (https://github.com/mh-/diagnosis-keys, count_users).
    ///
    /// The weakness: five copies of each key instead of fillers.
    static func busyDays(in output: PublicOutput) -> Attack {
        let copied = output.withoutFillers.changed { package in
            package.keys = package.keys.flatMap { Array(repeating: $0, count: 5) }
        }
        var uploaders: [Day: Set<PersonID>] = [:]
        for package in output.packages {
            uploaders[package.hour.day, default: []].formUnion(package.keys.compactMap { output.owners[$0.data] })
        }
        let days = uploaders.keys.sorted()
        return Attack("on which days more people uploaded, by counts of risk levels", on: output, control: copied) {
            let estimates = estimatedUsers(in: $0)
            return days.enumerated().flatMap { place, day in
                days.dropFirst(place + 1).compactMap { other in
                    let (one, two) = (uploaders[day]?.count ?? 0, uploaders[other]?.count ?? 0)
                    guard one != two else { return nil }
                    let (busier, quieter) = one > two ? (day, other) : (other, day)
                    return (estimates[busier] ?? 0, estimates[quieter] ?? 0)
                }
            }
        }
    }

    private static func estimatedUsers(in output: PublicOutput) -> [Day: Double] {
        var counts: [Day: [Int: Int]] = [:]
        for package in output.packages {
            for key in package.keys {
                counts[package.hour.day, default: [:]][key.transmissionRiskLevel.rawValue, default: 0] += 1
            }
        }
        let factors = counts.values.map { levels in
            (1...5).last { factor in levels.values.allSatisfy { $0.isMultiple(of: factor) } } ?? 1
        }
        let frequencies = Dictionary(factors.map { ($0, 1) }, uniquingKeysWith: +)
        let factor = frequencies.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 1
        return counts.mapValues { levels in (Double(levels[6] ?? 0) / Double(factor)).rounded(.up) }
    }
}
