import ArgumentParser
import CountryModel
import ExposureKeys

/// A country of 100,000 people that lives from hour to hour, without phones and services.
struct CountryHours: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hours in which 100,000 simulated people lived, per second.")

    @Option(help: "How long; two days are lived at least.")
    var seconds = 4.0

    func run() async throws {
        let parameters = CountryParameters(population: 100_000, start: Day(number: 20_780), seed: 100)
        var country = Country(parameters)
        var contacts = 0
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var operations = 0
            repeat {
                // Whole days: a day's contacts are planned in its first hour.
                for _ in 0..<48 { contacts += country.step().contacts.count }
                operations += 48
            } while ContinuousClock.now - begin < .seconds(seconds)
            return operations
        }
        // Users meet users about 1.8 times a day, or something is missing.
        guard contacts > measurement.operations * 100_000 / 48 else { throw ExitCode.failure }
        try measurement.report()
    }
}
