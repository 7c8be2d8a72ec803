import CountryModel
import ExposureFormat
import ExposureKeys

extension Attack {
    /// Which of two keys of a package is a phone's, and which is a filler? The attacker has learned from every other hour how often a
    /// phone's key and a filler had each age, length and level, which no real attacker can.
    ///
    /// The weakness: fillers of all levels and ages alike.
    static func fillers(in output: PublicOutput, seed: UInt64) -> Attack {
        var random = RandomStream(seed: seed, attackers: 3)
        let weak = output.changed { package in
            let day = package.hour.day
            package.keys = package.keys.map {
                output.isReal($0) ? $0 : uniform($0, before: day, using: &random)
            }
        }
        return Attack("which keys are fillers, by age and risk level", on: output, control: weak) { output in
            var random = RandomStream(seed: seed, attackers: 4)
            let halves = [0, 1].map { half in output.packages.filter { $0.hour.ofDay % 2 == half } }
            return zip(halves, halves.reversed()).flatMap { known, asked in
                let odds = Odds(learnedFrom: known, of: output)
                return asked.flatMap { package in
                    let fillers = package.keys.filter { !output.isReal($0) }
                    return package.keys.filter(output.isReal).compactMap { key in
                        fillers.randomElement(using: &random).map {
                            (odds[key, in: package.hour], odds[$0, in: package.hour])
                        }
                    }
                }
            }
        }
    }

    private static func uniform(
        _ key: ExportedKey, before day: Day, using random: inout RandomStream
    ) -> ExportedKey {
        let first = day.advanced(by: -.random(in: 1...14, using: &random)).firstInterval
        guard let period = RollingPeriod(start: first, length: IntervalNumber.perDay),
            let level = TransmissionRiskLevel(rawValue: .random(in: 1...8, using: &random))
        else { return key }
        return ExportedKey(
            data: key.data, rollingPeriod: period, transmissionRiskLevel: level, reportType: key.reportType,
            daysSinceOnsetOfSymptoms: key.daysSinceOnsetOfSymptoms)
    }
}

/// How much more often phones' keys than fillers have each kind.
private struct Odds {
    /// What is public of a key but its bytes.
    private struct Kind: Hashable {
        let age: Int
        let length: UInt32
        let level: Int

        init(_ key: ExportedKey, in hour: Hour) {
            age = Int(hour.day.firstInterval.rawValue) - Int(key.rollingPeriod.start.rawValue)
            length = key.rollingPeriod.length
            level = key.transmissionRiskLevel.rawValue
        }
    }

    private var real: [Kind: Double] = [:]
    private var fillers: [Kind: Double] = [:]

    init(learnedFrom packages: [PublicOutput.Package], of output: PublicOutput) {
        for package in packages {
            for key in package.keys {
                let kind = Kind(key, in: package.hour)
                if output.isReal(key) { real[kind, default: 0] += 1 } else { fillers[kind, default: 0] += 1 }
            }
        }
    }

    /// A kind that was never seen says nothing.
    subscript(key: ExportedKey, in hour: Hour) -> Double {
        let kind = Kind(key, in: hour)
        let (all, others) = (real.values.reduce(1, +), fillers.values.reduce(1, +))
        return ((real[kind] ?? 0) + 1) / all / (((fillers[kind] ?? 0) + 1) / others)
    }
}
