import ArgumentParser
import CountryModel
import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import SimulatedCountry

/// A country of 100,000 people that lives from hour to hour, without phones and services, and the oracle that knows who heard whom.
struct CountryHours: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hours in which 100,000 simulated people lived, per second, with what an oracle knows of their keys.")

    @Option(help: "How long; two days are lived at least.")
    var seconds = 4.0

    func run() async throws {
        let parameters = CountryParameters(population: 100_000, start: Day(number: 20_780), seed: 100)
        var country = Country(parameters)
        var oracle = Oracle()
        var uploads = ImpliedUploads()
        var contacts = 0
        let begin = ContinuousClock.now
        let measurement = try await Measurement.of {
            var operations = 0
            repeat {
                // Whole days: a day's contacts are planned in its first hour.
                for _ in 0..<48 {
                    let events = country.step()
                    contacts += events.contacts.count
                    uploads.follow(events)
                    for upload in uploads.due(in: events.hour) {
                        oracle.shared(upload.keys, by: upload.person, acknowledged: upload.at, in: country)
                    }
                    oracle.published(uploads.published(in: events.hour), in: events.hour)
                }
                operations += 48
            } while ContinuousClock.now - begin < .seconds(seconds)
            return operations
        }
        // Users meet users about 1.8 times a day, or something is missing.
        guard contacts > measurement.operations * 100_000 / 48 else { throw ExitCode.failure }
        // Within three weeks somebody warns others, or the oracle had nothing to do.
        guard measurement.operations < 504 || oracle.sharedKeys > 0 else { throw ExitCode.failure }
        try measurement.report()
    }
}

/// What users with a positive test upload, as the model's events imply it, and when it is published.
private struct ImpliedUploads {
    struct Upload {
        let person: PersonID
        let at: Date
        let keys: [DiagnosisKey]
    }

    /// Users who will warn others if their test is positive, and from when on.
    private var willing: [TestID: HourEvents.Registration] = [:]
    private var positive: [TestID: Minute] = [:]
    private var waiting: [(person: PersonID, at: Minute)] = []
    private var releases: [Hour: [ExportedKey]] = [:]
    private let policy = PublicationPolicy()
    private var random = SystemRandomNumberGenerator()

    mutating func follow(_ events: HourEvents) {
        for registration in events.registrations where registration.sharing != nil {
            willing[registration.test] = registration
            share(registration.test)
        }
        for result in events.results where result.isPositive {
            positive[result.test] = result.at
            share(result.test)
        }
        for call in events.calls {
            guard let sharing = call.sharing else { continue }
            waiting.append((call.person, call.at.advanced(by: sharing.minutesAfterResult)))
        }
    }

    private mutating func share(_ test: TestID) {
        guard let registration = willing[test], let sharing = registration.sharing, let result = positive[test] else {
            return
        }
        (willing[test], positive[test]) = (nil, nil)
        waiting.append(
            (registration.person, max(registration.at, result).advanced(by: sharing.minutesAfterResult)))
    }

    /// The uploads that are sent until the end of an hour.
    mutating func due(in hour: Hour) -> [Upload] {
        let due = waiting.filter { $0.at.date < hour.end }
        waiting.removeAll { $0.at.date < hour.end }
        return due.map { person, at in
            let keys = Phone(at: at.date, using: &random).diagnosisKeys()
            for key in keys {
                guard let release = policy.releaseHour(of: key, submitted: hour) else { continue }
                releases[release, default: []].append(ExportedKey(key))
            }
            return Upload(person: person, at: at.date, keys: keys)
        }
    }

    /// The keys of an hour's package.
    mutating func published(in hour: Hour) -> [ExportedKey] { releases.removeValue(forKey: hour) ?? [] }
}
