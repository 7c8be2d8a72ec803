import FoundationEssentials
import HourKeys
import Postgres
import Schema
import Statistics
import TestSupport

@testable import DataDonation

/// A database with folded data of one week, from Monday, 2026-11-16 on.
struct DonatedData: Sendable {
    static let monday = LocalDay(number: 20_773)
    /// The Tuesday after it, at noon.
    static let now = Date(timeIntervalSince1970: Double(monday.number + 8) * 86_400 + 43_200)
    static let week = DonatedWeek(monday)

    let database: MigratedDatabase
    /// Connected as the fold.
    let client: PostgresClient
    let superuser: PostgresClient

    /// - Parameter hours: how many hours of the week are folded.
    static func run<Result: Sendable>(
        hours: Int32 = 168, _ body: @Sendable (DonatedData) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection, maximumConnections: 1) { superuser in
                try await superuser.session { session in
                    for day in monday.number - 1...monday.number + 8 {
                        try session.execute("SELECT donation.ensure_day(\(day))")
                    }
                }
                let configuration = PostgresConfiguration(
                    connection: database.connection(as: .donationFold), applicationName: "test",
                    maximumConnections: 6, acquireDeadline: .seconds(30), statementTimeout: .seconds(120))
                return try await TestPostgres.withClient(configuration) { client in
                    let data = DonatedData(database: database, client: client, superuser: superuser)
                    try await data.foldHours(0..<hours)
                    return try await body(data)
                }
            }
        }
    }

    func foldHours(_ hours: Range<Int32>) async throws {
        try await superuser.session { session in
            for hour in hours {
                try session.execute(
                    "INSERT INTO donation.folded_hour (hour) VALUES (\(Self.monday.number * 24 + hour))")
            }
        }
    }

    // MARK: What was donated

    /// Donations of a risk, on a day of the week from 0 on.
    func risks(
        _ count: Int, day: Int32 = 2, state: Int16 = 1, age: Int16 = 1, level: Int16 = 2, changed: Bool = false,
        visits: Int16 = 1, visitsChanged: Bool = false
    ) async throws {
        _ = try await superuser.session { session in
            try session.execute(
                """
                INSERT INTO donation.exposure_risk
                SELECT \(Self.monday.number + day), \(state), 1001, \(age), \(level), \(changed), NULL, false, \(visits),
                    \(visitsChanged), NULL, false
                FROM generate_series(1, \(Int32(count)))
                """)
        }
    }

    func tests(
        _ count: Int, day: Int32 = 2, state: Int16 = 1, age: Int16 = 1, result: Int16 = 2, hours: Int16? = 20,
        level: Int16 = 2, visits: Int16 = 1
    ) async throws {
        _ = try await superuser.session { session in
            try session.execute(
                """
                INSERT INTO donation.test_result
                SELECT \(Self.monday.number + day), \(state), 1001, \(age), \(result), \(nullable: hours), \(level), NULL, NULL,
                    \(visits), NULL, NULL
                FROM generate_series(1, \(Int32(count)))
                """)
        }
    }

    func clients(_ count: Int, day: Int32 = 2, platform: Int16 = 0, version: String) async throws {
        _ = try await superuser.session { session in
            try session.execute(
                """
                INSERT INTO donation.client (
                    day, platform, app_version, system_version, exposure_notifications, configuration_tag)
                SELECT \(Self.monday.number + day), \(platform), \(version), '17', CASE WHEN \(platform) = 1 THEN 1 END, '"tag"'
                FROM generate_series(1, \(Int32(count)))
                """)
        }
    }

    func submissions(_ count: Int, state: Int16, submitted: Bool) async throws {
        _ = try await superuser.session { session in
            try session.execute(
                """
                INSERT INTO donation.key_submission_by_user (
                    day, federal_state, district, age, kind, submitted, submitted_after_symptom_flow, submitted_with_tele_tan,
                    submitted_after_rapid_test, submitted_with_check_ins)
                SELECT \(Self.monday.number), \(state), 1001, 1, 0, \(submitted), false, false, false, 0
                FROM generate_series(1, \(Int32(count)))
                """)
        }
    }

    /// Encounters with these typical attenuations, scan by scan.
    func encounters(
        _ count: Int, infectiousness: Int16 = 1, level: Int16 = 5, attenuations: [Int16], occasion: Int16 = 0
    ) async throws {
        _ = try await superuser.session { session in
            try session.execute(
                """
                INSERT INTO donation.exposure_window
                SELECT \(Self.monday.number), 0, '3.2.1', \(occasion), \(Self.monday.number - 1), 1, \(infectiousness), 0,
                    \(level), 12.5, \(attenuations.flatMap { [$0, 3, 120] })
                FROM generate_series(1, \(Int32(count)))
                """)
        }
    }

    // MARK: What is released

    func release(
        _ noise: CountNoise = .none, states: Int = 2, at now: Date = now
    ) async throws -> Int {
        let clock = DatabaseClock(of: client, movedLike: ManualClock(now).clock)
        return try await ReleaseTables(client, by: clock, states: states, noise: noise).run(at: now)
    }

    /// Looks for figures in the week before, so that this one is counted whole, and then after it.
    func releaseFigures(_ noise: CountNoise = .none, at now: Date = now) async throws {
        let sources = FigureSource.donations(noise)
        let before = Date(timeIntervalSince1970: Double(Self.monday.number - 2) * 86_400)
        try await FigureRelease.run(sources, at: before, in: client)
        try await FigureRelease.run(sources, at: now, in: client)
    }

    /// The released cells of a table: part, row, column, value.
    func cells(of table: DonatedTable) async throws -> [String] {
        try await ReleasedTables.releases(of: table, in: client).flatMap(\.cells).map { cell in
            ([cell.part, cell.row, cell.column].filter { !$0.isEmpty } + [cell.value.map { "\($0)" } ?? "withheld"])
                .joined(separator: " ")
        }
    }
}

extension CountNoise {
    static let none = CountNoise { _ in 0 }
}
