import CountryModel
import ExposureFormat
import ExposureKeys
import Exposures
import Testing

@testable import SimulatedCountry

/// What somebody learns who has receivers in all venues.
@Suite("Attackers with receivers", .timeLimit(.minutes(5))) struct SightingAttackTests {
    /// Everybody who uploaded was seen in two intervals of each day.
    private static func sightings(in output: PublicOutput) throws -> [VenueSighting] {
        try output.packages.flatMap { package in
            try package.keys.flatMap { key -> [VenueSighting] in
                guard let owner = output.owners[key.data] else { return [] }
                let schedule = KeySchedule(key.data)
                return try [60 as UInt32, 72].map { offset in
                    let interval = IntervalNumber(rawValue: key.rollingPeriod.start.rawValue + offset)
                    return VenueSighting(
                        identifier: try schedule.identifier(at: interval), interval: interval, person: owner)
                }
            }
        }
    }

    @Test("one published key joins the places of its day, and the only upload of an hour those of other days")
    func alone() throws {
        let output = try PublicOutput.sample(seed: 7, days: 2, perHour: 1...1)
        let attack = try Attack.sightings(try Self.sightings(in: output), in: output, seed: 7)
        #expect(attack.questions > 100 && !attack.isPrevented)
        #expect(attack.accuracy > 0.95 && attack.control > 0.95)
    }

    @Test("among many uploads of an hour, days aren't joined")
    func many() throws {
        let output = try PublicOutput.sample(seed: 8, days: 1, perHour: 4...4).inOnePackage
        let attack = try Attack.sightings(try Self.sightings(in: output), in: output, seed: 8)
        #expect(attack.questions > 100 && !attack.findsSomething, "\(attack.accuracy)")
        #expect(attack.control > 0.95)
    }

    @Test("nobody who didn't upload is found")
    func nobody() throws {
        let output = try PublicOutput.sample(seed: 9, days: 1)
        let seen = try Self.sightings(in: output)
        let quiet = PublicOutput(packages: output.packages, owners: [:])
        #expect(try Attack.sightings(seen, in: quiet, seed: 9).questions == 0)
    }
}

extension PublicOutput {
    /// As if all had been uploaded in one hour.
    fileprivate var inOnePackage: PublicOutput {
        let keys = packages.flatMap(\.keys).sorted { $0.data < $1.data }
        return PublicOutput(packages: packages.prefix(1).map { Package(hour: $0.hour, keys: keys) }, owners: owners)
    }
}
