import Foundation
import Statistics
import TestSupport
import Testing

struct NoiseTests {
    @Test("noise has the shape that its parameter says, both signs alike", arguments: [1, 2, 5])
    func shape(units: Int) {
        var randomness = SeededGenerator(seed: UInt64(units))
        let noise = TwoSidedGeometric(unitsPerPerson: units)
        let draws = 200_000
        let found = Dictionary(grouping: (0..<draws).map { _ in noise.sample(using: &randomness) }) { $0 }
            .mapValues(\.count)
        // P(k) = (1 - a) / (1 + a) · a^|k|
        let ratio = exp(-1 / Double(noise.scale))
        for value in -12...12 {
            let expected = Double(draws) * (1 - ratio) / (1 + ratio) * pow(ratio, Double(abs(value)))
            let deviation = (Double(found[value] ?? 0) - expected) / expected.squareRoot()
            #expect(abs(deviation) < 5, "\(value)")
        }
    }

    @Test("one person more changes the probability of each released value by a factor of e^(1/2) at most")
    func privacy() {
        let ratio = exp(-1 / Double(TwoSidedGeometric(unitsPerPerson: 2).scale))
        func probability(_ released: Int, of count: Int) -> Double { pow(ratio, Double(abs(released - count))) }
        for released in -30...60 {
            #expect(probability(released, of: 12) / probability(released, of: 10) <= exp(0.5) + 1e-12)
            #expect(probability(released, of: 10) / probability(released, of: 12) <= exp(0.5) + 1e-12)
        }
    }

    @Test("the noise of a week has the width that the sheet of figures names", arguments: [(1, 2.8), (2, 5.6)])
    func width(units: Int, expected: Double) {
        var randomness = SeededGenerator(seed: 7)
        let noise = TwoSidedGeometric(unitsPerPerson: units)
        let draws = (0..<100_000).map { _ in Double(noise.sample(using: &randomness)) }
        let variance = draws.map { $0 * $0 }.reduce(0, +) / Double(draws.count)
        #expect(abs(variance.squareRoot() - expected) < 0.1)
    }
}
