import FoundationEssentials
import Postgres
import Schema
import Statistics

/// The released figures in the schema `statistics`. The portal reads nothing else that services count.
struct FigureStore: Sendable {
    private let database: PostgresClient
    private let calendar: LocalCalendar

    init(_ database: PostgresClient, _ calendar: LocalCalendar) {
        self.database = database
        self.calendar = calendar
    }

    /// Everything that was released of a span, and the local day on which it ends.
    func released(in span: FigureTable.Span, at now: Date) async throws -> (today: LocalDay, rows: [ReleasedRow]) {
        try await database.session { session in
            let today = try calendar.day(of: now, in: session)
            let rows = try session.rows(
                """
                SELECT figure, cell, period_start - date '1970-01-01', period_days, coalesce(value, -1), rounding, definition,
                    released_on - date '1970-01-01'
                FROM statistics.released_figure
                WHERE period_start >= date '1970-01-01' + \(span.start(today: today).number)
                ORDER BY figure, cell, period_start, period_days
                """, as: String.self, String.self, Int32.self, Int16.self, Int32.self, Int16.self, Int16.self,
                Int32.self)
            return (today, rows.compactMap(ReleasedRow.init))
        }
    }
}

extension ReleasedRow {
    /// Nil for a figure that this version doesn't know.
    fileprivate init?(
        figure: String, cell: String, start: Int32, days: Int16, value: Int32, rounding: Int16, definition: Int16,
        released: Int32
    ) {
        guard let figure = Figure(rawValue: figure), let period = Period(rawValue: days) else { return nil }
        self.init(
            value: ReleasedValue(figure, cell, LocalDay(number: start), period, value < 0 ? nil : Int(value)),
            rounding: Int(rounding), definition: Int(definition), released: LocalDay(number: released))
    }
}
