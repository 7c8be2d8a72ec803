package import ArgumentParser
import Calling
import Catalogue
import CountryModel
import DevelopmentIdentityAPI
import DevelopmentSuite
import ExposureKeys
import Foundation
import Phone
import Running
import TLS
import Vigil

/// `vigil-dev country`: a country of simulated people whose real phones use the real services, for some weeks in minutes.
package struct CountryCommand: AsyncParsableCommand {
    /// The name and help of the command.
    package static let configuration = CommandConfiguration(
        commandName: "country",
        abstract: "Run a suite for a simulated country, and judge what phones and services did.",
        discussion: """
            People meet, fall ill, are tested and share keys; their phones download, match and warn. Everything between the phones \
            runs: the services' own programs, PostgreSQL, the proxy. The report is written as report.json. The command \
            ends with 1 if something happened that must not, such as a lost upload.
            """)

    @Option(help: "How many people live in the country.")
    var people = 1000

    @Option(help: "How many days pass.")
    var days = 7

    @Option(help: "The share of all people who have the app.")
    var adoption = 0.6

    @Option(help: "How many of them have a real phone; the others are simulated without one. All, if it isn't said.")
    var phones: Int?

    @Option(help: "How many people were infected in the ten days before the first one.")
    var infected = 20

    @Option(help: "The share of people who visit a venue on a day.")
    var visits = 0.25

    @Option(help: "Two runs with the same seed have the same people, contacts and dispositions.")
    var seed: UInt64 = 1

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "What goes wrong about twice a day: \(InjectedFault.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "fault"))
    var faults: [InjectedFault] = []

    @Option(help: "One phone in so many fetches each file on its own; the others share what the first of them got.")
    var sampleOneIn = 20

    @Option(help: ArgumentHelp("The folder for the report.", valueName: "folder"))
    var report = "country"

    @Option(help: "The metadata proxy's port; the other services' ports follow it.")
    var firstPort = Catalogue.Port.defaultFirst

    @Option(
        help: ArgumentHelp("Static files to publish, such as the configuration in deploy/static.", valueName: "folder"))
    var `static`: String?

    /// For ArgumentParser.
    package init() {}

    /// Checks the options' ranges.
    package func validate() throws {
        guard (10...1_000_000).contains(people) else { throw ValidationError("--people must be from 10 to 1000000.") }
        guard (1...365).contains(days) else { throw ValidationError("--days must be from 1 to 365.") }
        guard (0.0...1).contains(adoption) else { throw ValidationError("--adoption must be from 0 to 1.") }
        guard (0...people).contains(infected) else { throw ValidationError("--infected must be from 0 to --people.") }
        guard (0.0...1).contains(visits) else { throw ValidationError("--visits must be from 0 to 1.") }
        guard phones.map({ $0 > 0 }) ?? true else { throw ValidationError("--phones must be 1 or more.") }
        guard sampleOneIn > 0 else { throw ValidationError("--sample-one-in must be 1 or more.") }
    }

    /// Runs the country.
    package func run() async throws {
        let path = FileManager.default.temporaryDirectory.appending(
            path: "vigil-country-\(UUID().uuidString.prefix(8))")
        let folder = StateFolder(path.path(percentEncoded: false))
        try folder.prepare()
        let clock = try SharedClock(moving: SuiteClock.path(in: folder))
        // After the first fold is due, which the fold does when it starts, and not a second time.
        try clock.move(to: Self.start.firstHour.start.addingTimeInterval(10))
        let suite = SuiteRun(
            folder: folder, isFresh: false, firstPort: firstPort, clock: .shared, changes: try changes())
        let options = self
        guard var life = try await suite.run({ try await options.live(in: $0, folder, by: clock) }) else { return }
        life.run.judge()
        let result = report(of: life)
        try write(result)
        guard result.cases.isEmpty, result.differentDownloads.isEmpty else {
            let cases = result.cases.prefix(10) + result.differentDownloads.prefix(10)
            throw CommandFailure(
                "Something happened that must not: see \(report)/report.json. The logs are in \(folder.logs)."
                    + cases.map { "\n  \($0)" }.joined())
        }
        // Kept after a failure, for its logs.
        try? FileManager.default.removeItem(at: path)
    }

    /// What is left of a country when its suite has stopped.
    struct Life: Sendable {
        var run: CountryRun
        let took: Duration
        /// The most memory of each process, in MiB.
        let memory: [String: Int]
        /// Downloads that gave different keys within an hour.
        let differentDownloads: [String]
    }

    /// A Monday. The country's time is not the machine's.
    private static let start = Day(name: "2026-01-05") ?? Day(number: 20_458)

    /// The proxy answers after 50 ms instead of 250, because all hours of the country wait for it, and takes all reports of Further,
    /// because all phones call from one address. The rest is as shipped.
    private func changes() throws -> [SettingChange] {
        let texts =
            ["metadata-proxy.answers.deadline=50", "metadata-proxy.limits.further=1000000"]
            + (`static`.map { ["distribution.static=\($0)"] } ?? [])
        return texts.compactMap { SettingChange(argument: $0) }
    }

    private func live(in suite: SuiteRun.Stage, _ folder: StateFolder, by clock: SharedClock) async throws -> Life {
        let clients = try CountryClients(folder)
        let outcome: Result<Life, any Error>
        do {
            outcome = .success(try await live(with: clients, in: suite, folder, by: clock))
        } catch {
            outcome = .failure(error)
        }
        await clients.close()
        return try outcome.get()
    }

    private var parameters: CountryParameters {
        var parameters = CountryParameters(population: people, start: Self.start, seed: seed)
        parameters.people.appShare = adoption
        parameters.disease.firstCases = infected
        parameters.venues.dailyVisits = visits
        return parameters
    }

    private func live(
        with clients: CountryClients, in suite: SuiteRun.Stage, _ folder: StateFolder, by clock: SharedClock
    ) async throws -> Life {
        let watch = SuiteWatch(suite)
        let services = clients.services(publishedIn: folder.published, sampledOneIn: sampleOneIn)
        let stage = CountryRun.Stage(
            clock: clock, watch: watch, laboratory: Laboratory(results: clients.lab, seed: seed),
            office: HealthOffice(portal: clients.portal), posters: Posters(seed: seed), services: services,
            faults: FaultInjection(suite))
        let schedule = FaultSchedule(faults: faults, seed: seed)
        var run = CountryRun(Country(parameters), schedule, phones: phones ?? people, seed: seed, on: stage)
        let progress = ProgressBar.onTerminal
        progress.begin("hours", total: days * 24)
        let started = ContinuousClock.now
        for day in 1...days {
            for _ in 0..<24 {
                try await run.live()
                progress.advance()
            }
            if !progress.isShown { Console.say("Day \(day) of \(days): \(run.uploads) uploads so far.") }
        }
        progress.finish()
        return Life(
            run: run, took: started.duration(to: .now), memory: await watch.peakMemory(),
            differentDownloads: await services.downloads.different)
    }

    private func report(of life: Life) -> CountryReport {
        // The same country in which nobody is warned.
        var baseline = Country(parameters)
        for _ in 0..<days * 24 { _ = baseline.step() }
        return CountryReport(
            life,
            CountryReport.Settings(
                people: people, days: days, adoption: adoption, seed: seed, phones: life.run.phones,
                downloadsSampledOneIn: sampleOneIn),
            baseline: baseline)
    }

    private func write(_ result: CountryReport) throws {
        let folder = URL(filePath: report)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try result.json().write(to: folder.appending(path: "report.json"))
        Console.say(result.summary)
    }
}
