import CountryModel
import ExposureFormat
import ExposureKeys
import Testing

@testable import SimulatedCountry

/// Attackers who find nothing in good packages have to find the weakness that they look for.
@Suite("Attackers on a country's public output") struct AttackTests {
    private static let day = Day(number: 20_458)

    /// Three weeks of packages with 140 keys, in the order of their bytes. In two hours of three some people's keys are among them.
    private static func output(seed: UInt64, perHour: ClosedRange<Int> = 1...4) throws -> PublicOutput {
        var random = RandomStream(seed: seed, attackers: 99)
        var owners: [KeyData: PersonID] = [:]
        var packages: [PublicOutput.Package] = []
        var person: UInt32 = 0
        for number in 0..<Int(21 * 24) {
            let hour = day.firstHour.advanced(by: number)
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

    @Test(
        "whoever attacks good packages guesses, and finds the weakness in bad ones", arguments: [1, 2, 3] as [UInt64])
    func guesses(seed: UInt64) throws {
        for attack in Attack.all(on: try Self.output(seed: seed), seed: seed) {
            #expect(attack.questions > 100, "\(attack.name)")
            #expect(!attack.findsSomething, "\(attack.name): \(attack.accuracy)")
            #expect(attack.control > 0.8, "\(attack.name): \(attack.control)")
        }
    }

    @Test("keys in the order of their uploads are found to belong together")
    func order() throws {
        let output = try Self.output(seed: 4)
        let weak = output.changed { package in
            package.keys.sort { (output.owners[$0.data]?.rawValue ?? 0) < (output.owners[$1.data]?.rawValue ?? 0) }
        }
        #expect(Attack.orderOfKeys(in: weak, seed: 4).findsSomething)
    }

    @Test("a run without uploads asks nothing")
    func nothing() throws {
        let quiet = PublicOutput(packages: try Self.output(seed: 5).packages, owners: [:])
        for attack in Attack.all(on: quiet, seed: 5) {
            #expect(attack.questions == 0 && attack.accuracy == 0.5 && !attack.findsSomething)
        }
    }
}
