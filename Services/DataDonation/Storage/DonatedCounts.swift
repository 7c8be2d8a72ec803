import Postgres
import Statistics

/// What the folded tables of a week have. These counts have no noise yet: nobody may keep or show them.
enum DonatedCounts {
    /// For a week of millions of donations.
    private static let time: Duration = .seconds(300)

    /// Whether every hour of a week is folded.
    static func isComplete(_ week: DonatedWeek, _ session: Session) throws -> Bool {
        try session.limitStatements(to: time)
        let folded = try session.row(
            """
            SELECT count(*) FROM donation.folded_hour
            WHERE hour >= \(week.hours.lowerBound) AND hour < \(week.hours.upperBound)
            """, as: Int.self)
        return folded == week.hours.count
    }

    // MARK: Figures

    /// Donations in which a risk had become high, in the order of `WarningCells`.
    static func warnings(in week: DonatedWeek, _ session: Session) throws -> [Int] {
        let row = try session.row(
            """
            SELECT count(*) FILTER (WHERE level = 3 AND level_changed),
                count(*) FILTER (WHERE visit_level = 3 AND visit_level_changed AND NOT (level = 3 AND level_changed))
            FROM donation.exposure_risk WHERE day BETWEEN \(week.firstDay) AND \(week.lastDay)
            """, as: Int.self, Int.self)
        return row.map { [$0, $1] } ?? [0, 0]
    }

    /// Tests that were registered while a risk was high, in the order of `WarningCells`.
    static func testsAtHighRisk(in week: DonatedWeek, _ session: Session) throws -> [Int] {
        let row = try session.row(
            """
            SELECT count(*) FILTER (WHERE level = 3), count(*) FILTER (WHERE visit_level = 3 AND level <> 3)
            FROM donation.test_result WHERE day BETWEEN \(week.firstDay) AND \(week.lastDay)
            """, as: Int.self, Int.self)
        return row.map { [$0, $1] } ?? [0, 0]
    }

    /// Results by delay, for each kind of test in the order of `DelayCells`.
    static func delays(in week: DonatedWeek, _ session: Session) throws -> [[Int]] {
        let rows = try session.rows(
            """
            SELECT CASE WHEN result < 5 THEN 0 ELSE 1 END, hours_since_registration, count(*)
            FROM donation.test_result
            WHERE day BETWEEN \(week.firstDay) AND \(week.lastDay)
                AND result IN (2, 3, 4, 6, 7, 8) AND hours_since_registration IS NOT NULL
            GROUP BY 1, 2
            """, as: Int.self, Int.self, Int.self)
        return DelayCells.kinds.enumerated().map { number, kind in
            var classes = [0, 0, 0]
            for (of, hours, count) in rows where of == number {
                classes[hours <= kind.quick ? 0 : hours <= kind.slow ? 1 : 2] += count
            }
            return classes
        }
    }

    // MARK: Tables

    /// The counts of a table.
    static func slices(
        of table: DonatedTable, states: Int, in week: DonatedWeek, _ session: Session
    ) throws -> [Slice] {
        typealias Names = DonatedTable.Names
        let days: SQL = "day BETWEEN \(week.firstDay) AND \(week.lastDay)"
        let state: SQL = "CASE WHEN federal_state <= \(Int32(states)) THEN federal_state ELSE 0 END"
        func count(_ query: SQL, _ parts: [String], _ rows: [String], _ columns: [String]) throws -> [Slice] {
            var slices = parts.map { part in
                Slice(
                    part: part, rows: rows, columns: columns,
                    counts: rows.map { _ in [Int](repeating: 0, count: columns.count) })
            }
            for (part, row, column, count) in try session.rows(query, as: Int.self, Int.self, Int.self, Int.self) {
                guard parts.indices.contains(part), rows.indices.contains(row), columns.indices.contains(column) else {
                    continue
                }
                slices[part].counts[row][column] += count
            }
            return slices
        }
        return switch table {
        case .riskLevels:
            try count(
                "SELECT level, \(state), age, count(*) FROM donation.exposure_risk WHERE \(days) GROUP BY 1, 2, 3",
                Names.levels, Names.states(states), Names.ages)
        case .visitRiskLevels:
            try count(
                "SELECT visit_level, \(state), age, count(*) FROM donation.exposure_risk WHERE \(days) GROUP BY 1, 2, 3",
                Names.levels, Names.states(states), Names.ages)
        case .testResults:
            try count(
                "SELECT result - 1, \(state), age, count(*) FROM donation.test_result WHERE \(days) GROUP BY 1, 2, 3",
                Names.results, Names.states(states), Names.ages)
        case .keySubmissions:
            try count(
                """
                SELECT 0, \(state), CASE WHEN submitted THEN 0 ELSE 1 END, count(*)
                FROM donation.key_submission_by_user WHERE \(days) GROUP BY 2, 3
                """, [""], Names.states(states), Names.outcomes)
        case .encounters:
            // `scans` has three numbers for each, the first of which is the typical attenuation. What is new in a donation only: a
            // test's encounters were new in an earlier one.
            try count(
                """
                SELECT infectiousness, transmission_risk_level,
                    CASE WHEN closest < 63 THEN 0 WHEN closest < 73 THEN 1 WHEN closest < 79 THEN 2 ELSE 3 END, count(*)
                FROM donation.exposure_window, LATERAL (
                    SELECT min(number) AS closest FROM unnest(scans) WITH ORDINALITY AS scan (number, place)
                    WHERE place % 3 = 1
                ) AS attenuation
                WHERE \(days) AND occasion = 0 GROUP BY 1, 2, 3
                """, Names.infectiousness, Names.transmissionRiskLevels, Names.attenuations)
        case .appVersions: try versions(days, session)
        }
    }

    /// A list for each system, from the oldest version to the newest.
    private static func versions(_ days: SQL, _ session: Session) throws -> [Slice] {
        let rows = try session.rows(
            "SELECT platform, app_version, count(*) FROM donation.client WHERE \(days) GROUP BY 1, 2",
            as: Int.self, String.self, Int.self)
        return VersionCells.platforms.enumerated().map { number, platform in
            var lines: [VersionLine: Int] = [:]
            for (_, version, count) in rows.filter({ $0.0 == number }) {
                if let line = VersionLine(version) { lines[line, default: 0] += count }
            }
            let known = lines.sorted { $0.key < $1.key }
            return Slice(
                part: platform, rows: known.map { "\($0.key)" }, columns: [""], counts: known.map { [$0.value] })
        }
    }
}
