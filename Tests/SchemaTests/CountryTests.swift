import Postgres
import Running
import TestSupport
import Testing

@testable import Schema

/// What `vigil migrate` records of the country, and what services find there.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct CountryTests {
    private static let poland: [CountryFact: String] = [.origin: "PL", .timeZone: "Europe/Warsaw"]

    /// Runs a body as the owner of a database of Germany.
    private static func run(
        _ body: @Sendable (_ owner: PostgresClient, _ database: MigratedDatabase) async throws -> Void
    ) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { try await body($0, database) }
        }
    }

    private static func recorded(_ owner: PostgresClient) async throws -> [String] {
        try await owner.session { try $0.rows("SELECT value FROM vigil.country ORDER BY fact", as: String.self) }
    }

    /// A service that isn't set to anything is set to these.
    @Test("a suite whose operator names no country has the standard, and keeps what it has")
    func standard() async throws {
        try await Self.run { owner, _ in
            #expect(try await Self.recorded(owner) == ["DE", "Europe/Berlin"])
            try await Schema.migrate(owner: owner, country: Self.poland, changesCountry: true)
            try await Schema.migrate(owner: owner)
            try await Schema.migrate(owner: owner, country: [.origin: "PL"])
            #expect(try await Self.recorded(owner) == ["PL", "Europe/Warsaw"])
        }
    }

    @Test("another country is refused, with nothing changed, until the operator asks for the change")
    func change() async throws {
        try await Self.run { owner, _ in
            let error = await #expect(throws: CountryMismatch.self) {
                try await Schema.migrate(owner: owner, country: [.origin: "DE", .timeZone: "Europe/Warsaw"])
            }
            #expect(
                error?.description
                    == "statistics.timeZone is Europe/Warsaw, but this suite was migrated with Europe/Berlin: set it to "
                    + "Europe/Berlin (VIGIL_TIME_ZONE in containers), or change the whole suite with "
                    + "`vigil migrate --time-zone Europe/Warsaw --change-country`.")
            #expect(error?.exitStatus == 78)
            #expect(try await Self.recorded(owner) == ["DE", "Europe/Berlin"])

            let report = MigrationTests.Report()
            try await Schema.migrate(owner: owner, country: Self.poland, changesCountry: true, report: report.add)
            #expect(try await Self.recorded(owner) == ["PL", "Europe/Warsaw"])
            #expect(
                report.sentences == [
                    "Changed origin from DE to PL: set VIGIL_ORIGIN and start every service anew.",
                    "Changed statistics.timeZone from Europe/Berlin to Europe/Warsaw: set VIGIL_TIME_ZONE and start every service anew.",
                ])
        }
    }

    @Test(
        "what can't be a country or a time zone isn't recorded",
        arguments: [
            (CountryFact.origin, "Poland", "--origin must be the two capital letters of a country, such as DE."),
            (.origin, "pl", "--origin must be the two capital letters of a country, such as DE."),
            (.timeZone, "Mars/Olympus", "--time-zone must be a time zone's name, such as Europe/Berlin."),
        ])
    func impossible(fact: CountryFact, value: String, sentence: String) async throws {
        try await Self.run { owner, _ in
            let error = await #expect(throws: ConfigurationProblem.self) {
                try await Schema.migrate(owner: owner, country: [fact: value], changesCountry: true)
            }
            #expect(error?.description == sentence)
            let recorded = try await Self.recorded(owner)
            #expect(recorded == ["DE", "Europe/Berlin"])
        }
    }

    @Test("a service starts only with the country that was recorded", arguments: CountryFact.allCases)
    func services(fact: CountryFact) async throws {
        try await Self.run { owner, database in
            try await TestPostgres.withClient(database.connection(as: .distribution)) { client in
                func agreed(_ value: String?) async throws -> String {
                    try await Settings(value.map { [fact.rawValue: $0] } ?? [:]).agreed(on: fact, in: client)
                }
                let polish = try #require(Self.poland[fact])
                #expect(try await agreed(nil) == fact.standard)
                #expect(try await agreed(fact.standard) == fact.standard)
                let foreign = await #expect(throws: CountryMismatch.self) { try await agreed(polish) }
                #expect(foreign == CountryMismatch(fact: fact, value: polish, recorded: fact.standard))
                let wrong = await #expect(throws: ConfigurationProblem.self) { try await agreed("nowhere") }
                #expect(wrong?.description.hasPrefix("\(fact.rawValue) must be") == true)

                try await Schema.migrate(owner: owner, country: Self.poland, changesCountry: true)
                #expect(try await agreed(polish) == polish)
                // The service that isn't set to the suite's country is as wrong as one that is set to another.
                let unset = await #expect(throws: CountryMismatch.self) { try await agreed(nil) }
                #expect(unset == CountryMismatch(fact: fact, value: fact.standard, recorded: polish))
            }
        }
    }
}
