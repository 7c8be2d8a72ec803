import Testing

@testable import CountryModel

struct RandomStreamTests {
    private static let draws = 40_000

    private static func moments(_ draw: (inout RandomStream) -> Double) -> Moments {
        var random = RandomStream(1, .resistance)
        return Moments((0..<draws).map { _ in draw(&random) })
    }

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

    @Test("shuffling keeps every element and moves each to any place")
    func shuffling() {
        var places = [Int](repeating: 0, count: 10)
        for subject in 0..<5000 {
            var random = RandomStream(3, .networks, UInt64(subject))
            var elements = Array(0..<10)
            random.shuffle(&elements)
            #expect(elements.sorted() == Array(0..<10))
            if let place = elements.firstIndex(of: 0) { places[place] += 1 }
        }
        #expect(places.allSatisfy { abs($0 - 500) < 120 })
    }

    @Test("normal and exponential draws have their moments")
    func normalAndExponential() {
        let normal = Self.moments { $0.normal() }
        #expect(abs(normal.mean) < 0.03 && normal.deviation.isNear(1, within: 0.03))
        let exponential = Self.moments { $0.exponential() }
        #expect(exponential.mean.isNear(1, within: 0.03) && exponential.deviation.isNear(1, within: 0.05))
    }

    @Test("gamma draws have their moments, also with shapes below 1", arguments: [(5.5, 2.14), (1.0, 1.4), (12, 5)])
    func gamma(mean: Double, deviation: Double) {
        let moments = Self.moments { $0.gamma(mean: mean, deviation: deviation) }
        #expect(moments.mean.isNear(mean, within: 0.05) && moments.deviation.isNear(deviation, within: 0.07))
    }

    @Test("negative binomial draws have their moments", arguments: [2.0, 3, 4])
    func negativeBinomial(mean: Double) {
        let moments = Self.moments { Double($0.negativeBinomial(mean: mean, deviation: mean)) }
        #expect(moments.mean.isNear(mean, within: 0.04) && moments.deviation.isNear(mean, within: 0.05))
    }

    @Test(
        "where a negative binomial distribution would be narrower than Poisson's, it is Poisson's",
        arguments: [0, 0.5, 1])
    func narrow(mean: Double) {
        let moments = Self.moments { Double($0.negativeBinomial(mean: mean, deviation: mean)) }
        #expect(moments.mean.isNear(mean, within: 0.04) && moments.deviation.isNear(mean.squareRoot(), within: 0.04))
    }

    @Test("lognormal draws have their median and mean")
    func logNormal() {
        var random = RandomStream(1, .test)
        let draws = (0..<Self.draws).map { _ in random.logNormal(median: 12, mean: 21) }.sorted()
        #expect(draws[Self.draws / 2].isNear(12, within: 0.05))
        #expect(Moments(draws).mean.isNear(21, within: 0.08))
    }

    @Test("Pareto draws have their minimum, their median and their tail: shape and minimum aren't swapped")
    func pareto() {
        var random = RandomStream(1, .workContact)
        let draws = (0..<Self.draws).map { _ in random.pareto(shape: 1.51, minimum: 5) }.sorted()
        #expect(draws[0] >= 5)
        // Half of them are above 5 · 2^(1/1.51) = 7.91, and one in 100 is above 5 · 100^(1/1.51) = 105.5.
        #expect(draws[Self.draws / 2].isNear(7.91, within: 0.02))
        #expect(draws[Self.draws * 99 / 100].isNear(105.5, within: 0.12))
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
