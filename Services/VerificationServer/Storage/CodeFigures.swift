import Postgres
import Schema
import Statistics

/// Codes made, codes redeemed and their share, from the rows that retention counted when it deleted teleTANs.
///
/// A period is complete when no teleTAN that was made in it is left. Then its count can't change any more.
extension FigureSource {
    /// The days of TEST codes: a code ends after an hour, and is deleted a day later. Each day is shown, or added to its week.
    static let codesByDay = FigureSource(.codesRedeemed, "test", .day, delay: 25 * 3600, daysKept: 28) {
        session, day in
        guard try isAlone(releasing: day, in: session), try !hasTeleTANs("TEST", in: day, session) else { return nil }
        let count = try forgotten("TEST", day, in: session)?.count ?? .init(all: 0, part: 0)
        let shown = PartRule.codes.day(count)
        let isHidden = shown == .nothing
        try session.execute(
            """
            INSERT INTO verification.forgotten_tele_tan AS known (
                kind, period_start, period_days, made, redeemed, shown_made, shown_redeemed, hidden_days
            )
            VALUES (
                'TEST', date '1970-01-01' + \(day.start.monday.number), 7,
                \(isHidden ? Int32(count.all) : 0), \(isHidden ? Int32(count.part) : 0),
                \(Int32(shown.all ?? 0)), \(Int32(shown.part ?? 0)), \(isHidden ? Int16(1) : 0)
            )
            ON CONFLICT (kind, period_start, period_days) DO UPDATE
            SET made = known.made + excluded.made, redeemed = known.redeemed + excluded.redeemed,
                shown_made = known.shown_made + excluded.shown_made,
                shown_redeemed = known.shown_redeemed + excluded.shown_redeemed,
                hidden_days = known.hidden_days + excluded.hidden_days
            """)
        return [day.value(.codesMade, "test", shown.all), day.value(.codesRedeemed, "test", shown.part)]
    }

    /// The weeks of TEST codes: the days that aren't shown, together, and the share of all that is shown.
    static let testCodesByWeek = FigureSource(.shareRedeemed, "test", .week, delay: 25 * 3600, daysKept: 28) {
        session, week in
        let open = try FigureRelease.due(
            .codesRedeemed, "test", .day, week.start, week.start.advanced(by: 6), today: week.today, in: session)
        guard open.isEmpty, let row = try forgotten("TEST", week, in: session) else { return nil }
        let rest = row.hiddenDays > 0 ? PartRule.codes.week(row.count) : nil
        let (all, part) = rest?.part == nil ? (0, 0) : (rest?.all ?? 0, rest?.part ?? 0)
        let share = ShareRule.share(of: row.shown.part + part, among: row.shown.all + all)
        let values = rest.map {
            [week.value(.codesMade, "test", $0.all), week.value(.codesRedeemed, "test", $0.part)]
        }
        return (values ?? []) + [week.value(.shareRedeemed, "test", share)]
    }

    /// The weeks of EVENT codes: a code ends after two days, and is deleted a day later.
    static let eventCodesByWeek = FigureSource(.shareRedeemed, "event", .week, delay: 3 * 86_400, daysKept: 28) {
        session, week in
        guard try !hasTeleTANs("EVENT", in: week, session) else { return nil }
        let shown = PartRule.codes.week(try forgotten("EVENT", week, in: session)?.count ?? .init(all: 0, part: 0))
        let share = shown.part.flatMap { ShareRule.share(of: $0, among: shown.all ?? 0) }
        return [
            week.value(.codesMade, "event", shown.all), week.value(.codesRedeemed, "event", shown.part),
            week.value(.shareRedeemed, "event", share),
        ]
    }

    /// Refused teleTANs by day. Each hour's row is deleted a day after the hour.
    static let wrongEntries = FigureSource(.wrongEntries, "", .day, delay: 25 * 3600, daysKept: 28) { session, day in
        let left = try session.row(
            """
            SELECT EXISTS (SELECT FROM verification.refused_tele_tan WHERE hour < \(day.hours.upperBound))
            """, as: Bool.self)
        guard left == false else { return nil }
        let count = try session.row(
            """
            DELETE FROM verification.forgotten_refusal WHERE day = date '1970-01-01' + \(day.start.number)
            RETURNING refusals
            """, as: Int.self)
        return [day.value(.wrongEntries, "", Figure.wrongEntries.definition.value(of: count ?? 0))]
    }

    /// Waits until no other replica releases codes.
    /// - Returns: false if it released this day meanwhile: then the count that it took isn't there any more.
    private static func isAlone(releasing day: LocalPeriod, in session: Session) throws(PostgresError) -> Bool {
        try session.execute("LOCK TABLE verification.forgotten_tele_tan IN SHARE ROW EXCLUSIVE MODE")
        return try !FigureRelease.due(
            .codesRedeemed, "test", .day, day.start, day.start, today: day.today, in: session
        ).isEmpty
    }

    /// Whether a teleTAN is left that was made by the end of a period.
    private static func hasTeleTANs(
        _ kind: String, in period: LocalPeriod, _ session: Session
    ) throws(PostgresError) -> Bool {
        try session.row(
            "SELECT EXISTS (SELECT FROM verification.tele_tan WHERE kind = \(kind) AND created_at < \(period.to))",
            as: Bool.self) ?? true
    }

    /// Takes the count of a period out of its table.
    private static func forgotten(
        _ kind: String, _ period: LocalPeriod, in session: Session
    ) throws(PostgresError) -> ForgottenTeleTANs? {
        let row = try session.row(
            """
            DELETE FROM verification.forgotten_tele_tan
            WHERE kind = \(kind) AND period_start = date '1970-01-01' + \(period.start.number)
                AND period_days = \(period.length.rawValue)
            RETURNING made, redeemed, shown_made, shown_redeemed, hidden_days
            """, as: Int.self, Int.self, Int.self, Int.self, Int.self)
        return row.map { made, redeemed, shownMade, shownRedeemed, hiddenDays in
            ForgottenTeleTANs(
                count: .init(all: made, part: redeemed), shown: .init(all: shownMade, part: shownRedeemed),
                hiddenDays: hiddenDays)
        }
    }
}

/// A row of `verification.forgotten_tele_tan`.
private struct ForgottenTeleTANs {
    /// What was counted and isn't shown yet.
    let count: PartRule.Count
    /// The sums of the values that are shown.
    let shown: PartRule.Count
    /// How many days aren't shown.
    let hiddenDays: Int
}
