import FoundationEssentials
import Logging
import Postgres
import Running
import Schema
import Statistics

/// Releases the weekly tables once their week is folded: counts, adds noise, withholds, and stores what may be shown.
///
/// Each is released once. With new noise for every export, the mean of many exports would be the count.
struct ReleaseTables: Sendable {
    private let database: PostgresClient
    private let clock: DatabaseClock
    /// How many states the country has.
    private let states: Int
    private let noise: CountNoise

    init(_ database: PostgresClient, by clock: DatabaseClock, states: Int, noise: CountNoise = .random) {
        self.database = database
        self.clock = clock
        self.states = states
        self.noise = noise
    }

    /// From `tables.states`, Germany's 16 by default. People in other states are counted with those who don't say.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ settings: Settings) throws(ConfigurationProblem) {
        self.init(database, by: clock, states: try settings.int("tables.states", default: 16, in: 1...99))
    }

    /// Looks at startup and then every hour for a week that is over.
    func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("release-tables", in: runtime) { now in
            now.addingTimeInterval(3600)
        } work: { now in
            ["tables": "\(try await run(at: now))"]
        }
    }

    /// Releases the tables of the last week that is over. The days of the week before may be deleted already.
    /// - Throws: `ClockAhead`; nothing is released then.
    /// - Returns: the number of tables.
    @discardableResult
    func run(at now: Date) async throws -> Int {
        try await clock.require(now)
        let today = LocalDay(number: now.dayNumber)
        let week = DonatedWeek(before: today)
        var released = 0
        for table in DonatedTable.allCases {
            let isNew = try await database.transaction { session in
                guard try DonatedCounts.isComplete(week, session),
                    try ReleasedTables.claim(table, week, on: today, session)
                else { return false }
                let definition = table.definition
                let cells = try DonatedCounts.slices(of: table, states: states, in: week, session).flatMap { slice in
                    definition.column == nil
                        ? slice.releasedList(definition, noise) : slice.released(definition, noise)
                }
                try ReleasedTables.insert(cells, table, week, session)
                return true
            }
            if isNew { released += 1 }
        }
        return released
    }
}
