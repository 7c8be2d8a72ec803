import ArgumentParser
import FoundationEssentials
import Postgres
import Running
import Schema
import Statistics
import Vigil

/// `vigil-dev figures`.
struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures", abstract: "Fill a development database with weeks of released figures.",
        discussion: """
            The values are made by the services' rules from random counts; what is released already stays. For development: the \
            portal's pages show them, and nothing tells them from real ones.
            """)

    @Option(
        help: ArgumentHelp("The owner's libpq connection string, as `vigil-dev up` prints it.", valueName: "conninfo"))
    var connection: String

    @Option(help: ArgumentHelp("How many complete weeks.", valueName: "number"))
    var weeks = 13

    func validate() throws {
        guard (1...104).contains(weeks) else { throw ValidationError("--weeks must lie in 1...104.") }
    }

    func run() async throws {
        let weeks = weeks
        let released = try await DatabaseAccess.with(connection: connection) { owner in
            try await owner.transaction { session in
                var randomness = SystemRandomNumberGenerator()
                let today = try LocalCalendar.standard.day(of: Date(), in: session)
                let figures = SampleFigures(weeks: weeks, until: today, using: &randomness)
                var released = 0
                for (day, values) in Dictionary(grouping: figures.values, by: \.releasedOn) {
                    released += try FigureRelease.insert(values.map(\.value), on: day, in: session)
                }
                return released
            }
        }
        Console.say("\(released) values of \(weeks) weeks were released.")
    }
}
