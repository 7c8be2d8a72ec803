package import ArgumentParser
import Credentials
import Metrics
package import Running
import Schema
import Serving
import TLS
import TestResultAPI

/// The executable `test-result-server`: laboratories and test centres post results, the verification server asks for them.
package struct TestResultServer: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "test-result-server",
        abstract: "Stores test results under hashed GUIDs, for labs, test centres and the verification server.",
        subcommands: [ReadyCommand.self])

    /// The options of the command line: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which sets the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "test-result-server", options: options))
    }

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.testResults.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let figures = FigureRelease(
            try await LocalCalendar(settings, in: database), in: database, by: databaseClock)
        let store = ResultStore(database)

        let tls = try TLSFiles(settings)
        let budget = PositiveBudget(
            perHour: try settings.int("positives.hourlyLimit", default: 2000, in: 1...1_000_000),
            metrics: runtime.metrics)
        let foreignResults = Counter(label: "foreign_results_total", factory: runtime.metrics)

        // A separate listener: a caller that occupies all its connections doesn't affect phones.
        let laboratories = try Listener(
            "laboratories", from: settings, defaultPort: 8020, security: .mutualTLS(tls), limits: .door
        ) { routes in
            func post(_ family: TestFamily) -> PostResults {
                PostResults(
                    family: family, store: store, clock: runtime.clock, budget: budget, foreignResults: foreignResults)
            }
            routes.on(TestResultAPI.labResults, use: post(.pcr).handle)
            routes.on(TestResultAPI.quickTestResults, use: post(.quick).handle)
            routes.on(TestResultAPI.quickTestResult, use: GetCentreResult(family: .quick, store: store).handle)
            routes.on(TestResultAPI.pocnatResults, use: post(.pocnat).handle)
            routes.on(TestResultAPI.pocnatResult, use: GetCentreResult(family: .pocnat, store: store).handle)
        }
        let suite = try Listener("internal", from: settings, defaultPort: 8021, security: .mutualTLS(tls)) { routes in
            let results = GetAppResult(store: store, clock: runtime.clock)
            routes.on(TestResultAPI.appResult, use: results.handle)
            routes.on(TestResultAPI.appResults, use: results.handleMany)
        }
        try await runtime.run(
            listeners: [suite, laboratories],
            services: [
                database, ClockWatch(databaseClock, runtime),
                Retention.everyHour(for: .testResults, in: database, by: databaseClock, runtime),
                figures.everyHour([.resultsPosted], in: runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)])
    }
}
