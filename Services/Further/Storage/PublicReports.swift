import FoundationEssentials
import Postgres
import Running
import Schema

/// What of the table `further.report` is public, and who may publish it.
struct PublicReports: Sendable {
    /// From what the 14 days of a report count.
    enum Age: String, Sendable, CaseIterable {
        /// From the last update, as the Further app has it: whoever reports again stays in the lists.
        case lastUpdate
        /// From the first positive answer.
        case firstPositive

        /// From `lists.ageFrom`.
        init(_ settings: Settings) throws(ConfigurationProblem) {
            guard let age = Self(rawValue: settings.string("lists.ageFrom", default: Self.lastUpdate.rawValue)) else {
                throw settings.wrong(
                    "lists.ageFrom", "must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self = age
        }
    }

    private let database: PostgresClient
    private let age: Age

    private static let publishing = AdvisoryLock(job: "lists", acquire: "SELECT further.take_list_lock()")
    /// Reading a million rows takes a second.
    private static let readingTime: Duration = .seconds(60)

    init(_ database: PostgresClient, countingFrom age: Age) {
        self.database = database
        self.age = age
    }

    /// Runs a job while no other process publishes lists.
    func exclusively<Result: Sendable>(_ job: @escaping @Sendable (Lead) async throws -> Result) async throws -> Result
    {
        try await database.exclusively(Self.publishing, job)
    }

    /// The reports that are public at an instant: positive, released, not withdrawn, and less than 14 days old.
    ///
    /// The age counts from the day's beginning (UTC). So reports go at midnight, with all of their day: those of a batch, which were
    /// updated in the same second, would be seen to go together.
    func read(at instant: Date) async throws -> [PublicReport] {
        let now = Int64(instant.timeIntervalSince1970)
        let oldest = now - StoredReport.life
        let first = age == .firstPositive ? oldest : -1
        return try await database.transaction { session in
            try session.limitStatements(to: Self.readingTime)
            var reports: [PublicReport] = []
            // Two columns, in types that are read fast.
            try session.copyOut(
                """
                SELECT uuid_send(id), (last_update / 3600 * 4)::integer + feeling_sick::integer * 2 + has_been_tested::integer
                FROM further.report
                WHERE last_update / 86400 * 86400 > \(literal: oldest) AND positive_since / 24 * 86400::bigint > \(literal: first)
                    AND release_at <= \(literal: now) AND (withdrawn_at IS NULL OR withdrawn_at > \(literal: now))
                """
            ) { row in
                let (id, rest) = (try row.words(), try row.int32())
                reports.append(
                    PublicReport(
                        high: id.high, low: id.low, hour: rest >> 2, feelingSick: rest & 2 != 0,
                        hasBeenTested: rest & 1 != 0))
            }
            return reports
        }
    }
}
