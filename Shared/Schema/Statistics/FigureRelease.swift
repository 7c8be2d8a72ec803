package import FoundationEssentials
import Logging
package import Postgres
package import Running
package import Statistics

/// Releases figures once their periods are over: counts, applies the figure's rule, and stores what may be shown.
///
/// Any number of replicas may do this at once: the primary key of the released figures lets one of them release each value.
package struct FigureRelease: Sendable {
    /// The authority's calendar.
    package let calendar: LocalCalendar
    private let database: PostgresClient
    private let clock: DatabaseClock

    /// Creates a release of figures in a service's database.
    package init(_ calendar: LocalCalendar, in database: PostgresClient, by clock: DatabaseClock) {
        self.calendar = calendar
        self.database = database
        self.clock = clock
    }

    /// Looks at startup and then every hour for periods that are over.
    package func everyHour(_ sources: [FigureSource], in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("release-figures", in: runtime) { now in
            now.addingTimeInterval(3600)
        } work: { now in
            ["values": "\(try await run(sources, at: now))"]
        }
    }

    /// Releases what is over, oldest first.
    /// - Throws: ``ClockAhead``; nothing is released then.
    /// - Returns: the number of values, withheld ones included.
    @discardableResult
    package func run(_ sources: [FigureSource], at now: Date) async throws -> Int {
        try await clock.require(now)
        var released = 0
        for source in sources { released += try await run(source, at: now) }
        return released
    }

    private func run(_ source: FigureSource, at now: Date) async throws -> Int {
        let calendar = calendar
        let length = Int(source.period.rawValue)
        let (today, starts) = try await database.session { session in
            let today = try calendar.day(of: now, in: session)
            let starts = try Self.due(
                source.figure, source.cell, source.period, today.advanced(by: -source.daysKept),
                today.advanced(by: -length), today: today, in: session)
            return (today, starts)
        }
        var released = 0
        for start in starts {
            released += try await database.transaction { session in
                let period = LocalPeriod(
                    start: start, length: source.period, from: try calendar.start(of: start, in: session),
                    to: try calendar.start(of: start.advanced(by: length), in: session), today: today)
                guard now >= period.to.addingTimeInterval(source.delay),
                    let values = try source.count(session, period)
                else { return 0 }
                return try Self.insert(values, on: today, in: session)
            }
        }
        return released
    }

    /// The first days of a figure's periods that aren't released, of those that begin between two days.
    package static func due(
        _ figure: Figure, _ cell: String, _ period: Period, _ first: LocalDay, _ last: LocalDay, today: LocalDay,
        in session: Session
    ) throws(PostgresError) -> [LocalDay] {
        try session.rows(
            """
            SELECT * FROM statistics.due(
                \(figure.rawValue), \(cell), \(period.rawValue), \(first.number), \(last.number), \(today.number))
            """, as: Int32.self
        ).map { LocalDay(number: $0) }
    }

    /// Stores released values, except those that are stored already.
    /// - Returns: the number of new ones.
    @discardableResult
    package static func insert(
        _ values: [ReleasedValue], on today: LocalDay, in session: Session
    ) throws(PostgresError) -> Int {
        try session.execute(
            """
            INSERT INTO statistics.released_figure (
                figure, cell, period_start, period_days, value, rounding, definition, released_on
            )
            SELECT figure, cell, date '1970-01-01' + start, days, nullif(value, -1), rounding, definition,
                date '1970-01-01' + \(today.number)
            FROM unnest(
                \(values.map(\.figure.rawValue)), \(values.map(\.cell)), \(values.map(\.start.number)),
                \(values.map(\.period.rawValue)), \(values.map { Int32(clamping: $0.value ?? -1) }),
                \(values.map { Int16(clamping: $0.figure.definition.rounding) }),
                \(values.map(\.figure.definition.version))
            ) AS new (figure, cell, start, days, value, rounding, definition)
            ON CONFLICT DO NOTHING
            """)
    }
}

/// Where a service finds the counts of a figure.
package struct FigureSource: Sendable {
    /// The figure and cell that are released last, so that what they are released with isn't released twice.
    let figure: Figure
    let cell: String
    let period: Period
    /// Seconds from a period's end to its release.
    let delay: TimeInterval
    /// A period that began longer ago isn't released: its rows may be deleted.
    let daysKept: Int
    /// Counts a period and applies the rule; nil if not everything of the period is there yet. It runs in the transaction that
    /// stores the values.
    let count: @Sendable (Session, LocalPeriod) throws -> [ReleasedValue]?

    /// Creates a source from its parts.
    package init(
        _ figure: Figure, _ cell: String, _ period: Period, delay: TimeInterval, daysKept: Int,
        count: @escaping @Sendable (Session, LocalPeriod) throws -> [ReleasedValue]?
    ) {
        self.figure = figure
        self.cell = cell
        self.period = period
        self.delay = delay
        self.daysKept = daysKept
        self.count = count
    }
}

/// A local day or week that is over.
package struct LocalPeriod: Sendable {
    /// Its first day.
    package let start: LocalDay
    /// A day or a week.
    package let length: Period
    /// Its first instant.
    package let from: Date
    /// The first instant after it.
    package let to: Date
    /// The local day on which it is released.
    package let today: LocalDay

    /// The hours since 1970 (UTC) that begin in it.
    package var hours: Range<Int32> {
        func first(after instant: Date) -> Int32 {
            Int32(clamping: Int64((instant.timeIntervalSince1970 / 3600).rounded(.up)))
        }
        return first(after: from)..<first(after: to)
    }

    /// A value of this period.
    package func value(_ figure: Figure, _ cell: String, _ value: Int?) -> ReleasedValue {
        ReleasedValue(figure, cell, start, length, value)
    }
}
