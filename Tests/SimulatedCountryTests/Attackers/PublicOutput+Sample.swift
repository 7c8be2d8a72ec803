import CountryModel
import ExposureFormat
import ExposureKeys
import Testing

@testable import SimulatedCountry

extension PublicOutput {
    private static let firstDay = Day(number: 20_458)

    /// Packages with 140 keys, in the order of their bytes. In two hours of three some people's keys are among them.
    static func sample(
        seed: UInt64, days: Int = 21, perHour: ClosedRange<Int> = 1...4
    ) throws -> PublicOutput {
        var random = RandomStream(seed: seed, attackers: 99)
        var owners: [KeyData: PersonID] = [:]
        var packages: [PublicOutput.Package] = []
        var person: UInt32 = 0
        for number in 0..<days * 24 {
            let hour = firstDay.firstHour.advanced(by: number)
            var keys: [ExportedKey] = []
            if number % 3 > 0 {
                for _ in 0..<Int.random(in: perHour, using: &random) {
                    let own = try upload(on: hour.day, using: &random)
                    for key in own { owners[key.data] = PersonID(rawValue: person) }
                    keys += own
                    person += 1
                }
            }
            while keys.count < 140 { keys += try upload(on: hour.day, using: &random) }
            packages.append(
                PublicOutput.Package(
                    hour: hour, keys: keys.prefix(140).sorted { $0.data < $1.data }))
        }
        return PublicOutput(packages: packages, owners: owners)
    }

    /// The profile that the Corona-Warn-App gave to people who named no day of symptoms.
    private static func upload(on day: Day, using random: inout RandomStream) throws -> [ExportedKey] {
        try zip(1..., [6, 8, 8, 8, 5, 3, 1, 1, 1, 1]).map { age, level in
            let data = KeyData(high: random.next(), low: random.next())
            let start = day.advanced(by: -age).firstInterval
            return ExportedKey(
                data: data, rollingPeriod: try #require(RollingPeriod(start: start, length: IntervalNumber.perDay)),
                transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: level)),
                reportType: .confirmedTest, daysSinceOnsetOfSymptoms: 1)
        }
    }
}
