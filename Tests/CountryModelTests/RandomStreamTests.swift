import Testing

@testable import CountryModel

struct RandomStreamTests {
    private static let draws = 40_000

    @Test("a stream follows from seed, purpose, subject and day, and from nothing else")
    func derivation() {
        func first(_ seed: UInt64, _ purpose: Purpose, _ subject: UInt64, _ day: Int32) -> [UInt64] {
            var random = RandomStream(seed, purpose, subject, day: day)
            return (0..<4).map { _ in random.next() }
        }
        let stream = first(1, .test, 2, 3)
        #expect(stream == first(1, .test, 2, 3))
        let others = [
            first(2, .test, 2, 3), first(1, .visit, 2, 3), first(1, .test, 3, 3), first(1, .test, 2, 4),
            first(1, .test, 3, 2), first(0, .test, 2, 3),
        ]
        #expect(Set(others + [stream]).count == 7)
    }

    @Test("the first draws of neighbouring subjects and days are as independent as draws of one stream")
    func neighbours() {
        func correlation(_ one: [Double], _ other: [Double]) -> Double {
            let (first, second) = (Moments(one), Moments(other))
            let products = zip(one, other).map { ($0 - first.mean) * ($1 - second.mean) }
            return products.reduce(0, +) / Double(products.count) / (first.deviation * second.deviation)
        }
        func draws(_ stream: (Int) -> RandomStream) -> [Double] {
            (0..<Self.draws).map { number in
                var random = stream(number)
                return random.unit()
            }
        }
        let subjects = draws { RandomStream(5, .visit, UInt64($0), day: 20_000) }
        let days = draws { RandomStream(5, .visit, 9, day: Int32($0)) }
        for series in [subjects, days] {
            let moments = Moments(series)
            #expect(moments.mean.isNear(0.5, within: 0.02))
            #expect(moments.deviation.isNear(1 / 12.0.squareRoot(), within: 0.02))
            // 5.5 standard deviations.
            let limit = 5.5 / Double(Self.draws).squareRoot()
            #expect(abs(correlation(Array(series.dropLast()), Array(series.dropFirst()))) < limit)
        }
        #expect(abs(correlation(subjects, days)) < 5.5 / Double(Self.draws).squareRoot())
    }

    @Test("tables of quantiles have the means of the published distributions")
    func tables() {
        // Metres: 1.472 · 1.898 = 2.79. Minutes: 5 · 1.51 / 0.51 = 14.8, of which the limit of 480 takes 1.5.
        let distance = QuantileTable<UInt8>.gamma(shape: 1.472, scale: 18.98, within: 1...255)
        #expect(distance.mean { Double($0) / 10 }.isNear(2.79, within: 0.02))
        let spread = (distance.mean { Double($0) * Double($0) / 100 } - 2.79 * 2.79).squareRoot()
        #expect(spread.isNear(1.472.squareRoot() * 1.898, within: 0.04))
        let duration = QuantileTable<UInt16>.pareto(shape: 1.51, minimum: 5, within: 1...480)
        #expect(duration.mean { Double($0) }.isNear(13.8, within: 0.05))
        #expect(duration[0] == 5 && duration[.max] == 480)
    }
}
