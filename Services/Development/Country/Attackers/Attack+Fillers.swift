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
                let odds = Odds(
                    of: kinds(in: known, where: output.isReal), against: kinds(in: known) { !output.isReal($0) })
                return asked.flatMap { package in
                    let fillers = package.keys.filter { !output.isReal($0) }
                    return package.keys.filter(output.isReal).compactMap { key in
                        fillers.randomElement(using: &random).map {
                            (odds[Kind(key, in: package.hour)], odds[Kind($0, in: package.hour)])
                        }
                    }
                }
            }
        }
    }

    private static func kinds(
        in packages: [PublicOutput.Package], where isWanted: (ExportedKey) -> Bool
    ) -> [Kind] {
        packages.flatMap { package in package.keys.filter(isWanted).map { Kind($0, in: package.hour) } }
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
