import CountryModel
import ExposureFormat
import ExposureKeys
import Testing

@testable import SimulatedCountry

/// Attackers who find nothing in good packages have to find the weakness that they look for.
@Suite("Attackers on a country's public output") struct PackageAttackTests {
    @Test(
        "whoever attacks good packages guesses, and finds the weakness in bad ones", arguments: [1, 2, 3] as [UInt64])
    func guesses(seed: UInt64) throws {
        for attack in Attack.onPackages(try .sample(seed: seed), seed: seed) {
            #expect(attack.questions > 100, "\(attack.name)")
            #expect(!attack.findsSomething, "\(attack.name): \(attack.accuracy)")
            #expect(attack.control > 0.8, "\(attack.name): \(attack.control)")
        }
    }

    @Test("keys in the order of their uploads are found to belong together")
    func order() throws {
        let output = try PublicOutput.sample(seed: 4)
        let weak = output.changed { package in
            package.keys.sort { (output.owners[$0.data]?.rawValue ?? 0) < (output.owners[$1.data]?.rawValue ?? 0) }
        }
        #expect(Attack.orderOfKeys(in: weak, seed: 4).findsSomething)
    }

    @Test("a run without uploads asks nothing")
    func nothing() throws {
        let quiet = PublicOutput(packages: try PublicOutput.sample(seed: 5).packages, owners: [:])
        for attack in Attack.onPackages(quiet, seed: 5) {
            #expect(attack.questions == 0 && attack.accuracy == 0.5 && !attack.findsSomething)
        }
    }
}
