import ExposureKeys

@testable import CountryModel

/// Countries that tests look at.
enum CountryStage {
    /// A Monday.
    static let start = Day(number: 20_780)

    static func parameters(
        population: Int = 2000, seed: UInt64 = 7, _ change: (inout CountryParameters) -> Void = { _ in }
    ) -> CountryParameters {
        var parameters = CountryParameters(population: population, start: start, seed: seed)
        change(&parameters)
        return parameters
    }

    /// Lives for some days, and lets other tests run after each hour.
    /// - Parameter afterwards: called after each hour, and may warn.
    static func live(
        _ country: inout Country, days: Int, afterwards: (inout Country, HourEvents) -> Void = { _, _ in }
    ) async {
        for _ in 0..<(days * 24) {
            let events = country.step()
            afterwards(&country, events)
            await Task.yield()
        }
    }
}

/// Mean and standard deviation of numbers.
struct Moments {
    let mean: Double
    let deviation: Double

    init(_ numbers: some Collection<Double>) {
        let count = Double(numbers.count)
        let mean = numbers.reduce(0, +) / count
        self.mean = mean
        deviation = (numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count).squareRoot()
    }
}

extension Double {
    /// Whether a number is within a share of an expected one.
    func isNear(_ expected: Double, within share: Double) -> Bool { abs(self - expected) <= abs(expected) * share }
}
