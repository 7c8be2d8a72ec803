import Postgres
import Statistics

/// The tables `donation.released_table` and `donation.released_cell`: what analysts are given, and nothing else.
enum ReleasedTables {
    /// Marks a table of a week as released, to be called before its cells are inserted, in the same transaction.
    /// - Returns: whether it wasn't released already. If another process is just doing it, the answer waits for that.
    static func claim(
        _ table: DonatedTable, _ week: DonatedWeek, on today: LocalDay, _ session: Session
    ) throws -> Bool {
        let definition = table.definition
        return try session.execute(
            """
            INSERT INTO donation.released_table (name, week, units, minimum, rounding, definition, released_day)
            VALUES (
                \(table.rawValue), \(week.firstDay), \(Int32(definition.units)), \(Int32(definition.minimum)),
                \(Int32(definition.rounding)), \(definition.version), \(today.number))
            ON CONFLICT DO NOTHING
            """) == 1
    }

    static func insert(
        _ cells: [ReleasedCell], _ table: DonatedTable, _ week: DonatedWeek, _ session: Session
    ) throws {
        try session.execute(
            """
            INSERT INTO donation.released_cell (name, week, place, part, row_name, column_name, value)
            SELECT \(table.rawValue), \(week.firstDay), place, part, row_name, column_name, nullif(value, -1)
            FROM unnest(
                \(cells.map(\.part)), \(cells.map(\.row)), \(cells.map(\.column)),
                \(cells.map { Int32(clamping: $0.value ?? -1) })
            ) WITH ORDINALITY AS new (part, row_name, column_name, value, place)
            """)
    }

    static func isReleased(_ table: DonatedTable, _ week: DonatedWeek, _ session: Session) throws -> Bool {
        try session.row(
            """
            SELECT EXISTS (
                SELECT FROM donation.released_table WHERE name = \(table.rawValue) AND week = \(week.firstDay))
            """, as: Bool.self) ?? false
    }

    /// The counts of versions by system as they were released; those that aren't named have no version.
    static func versions(
        _ week: DonatedWeek, _ session: Session
    ) throws -> [String: [(version: VersionLine?, count: Int)]] {
        let rows = try session.rows(
            """
            SELECT part, row_name, value FROM donation.released_cell
            WHERE name = \(DonatedTable.appVersions.rawValue) AND week = \(week.firstDay) AND value IS NOT NULL
            """, as: String.self, String.self, Int.self)
        return Dictionary(grouping: rows) { $0.0 }.mapValues { $0.map { (VersionLine($0.1), $0.2) } }
    }

    /// A release with its cells in the order in which they are shown.
    struct Release: Sendable {
        let week: LocalDay
        let units, minimum, rounding, definition: Int
        let released: LocalDay
        let cells: [ReleasedCell]
    }

    /// All releases of a table, from the first week on.
    static func releases(of table: DonatedTable, in database: PostgresClient) async throws -> [Release] {
        try await database.session { session in
            let cells = try session.rows(
                """
                SELECT week, part, row_name, column_name, coalesce(value, -1) FROM donation.released_cell
                WHERE name = \(table.rawValue) ORDER BY week, place
                """, as: Int32.self, String.self, String.self, String.self, Int.self)
            let byWeek = Dictionary(grouping: cells) { $0.0 }
            return try session.rows(
                """
                SELECT week, units, minimum, rounding, definition, released_day FROM donation.released_table
                WHERE name = \(table.rawValue) ORDER BY week
                """, as: Int32.self, Int.self, Int.self, Int.self, Int.self, Int32.self
            ).map { week, units, minimum, rounding, definition, released in
                Release(
                    week: LocalDay(number: week), units: units, minimum: minimum, rounding: rounding,
                    definition: definition, released: LocalDay(number: released),
                    cells: (byWeek[week] ?? []).map { _, part, row, column, value in
                        ReleasedCell(part: part, row: row, column: column, value: value < 0 ? nil : value)
                    })
            }
        }
    }
}
