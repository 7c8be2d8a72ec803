package import ExposureKeys
package import FoundationEssentials
package import Logging
import Postgres
import Running
package import Schema

/// The hourly fold of an inbox: merges all rows of an hour into one sorted set, and destroys everything that could tell the rows apart.
///
/// At 2,000 rows a day, a quarter of a second has one at most, but an hour has many.
///
/// Every step may be repeated: the next fold finishes one that was killed at any point.
package protocol HourlyFold: Sendable {
    /// What an hour's rows have.
    associatedtype Content: HourContent
    /// What a fold says of itself.
    associatedtype Report: FoldReport

    /// The tables.
    var store: FoldStore { get }
    /// The private keys.
    var files: HourKeyFiles { get }
    /// An hour is closed only after it has ended by this clock.
    var clock: DatabaseClock { get }
    /// Counts what is folded.
    var metrics: FoldMetrics<Report> { get }
    /// For what an operator should look at.
    var logger: Logger { get }

    /// How many hours of an outage are caught up on: as many as rows are of use.
    static var longestOutage: Int { get }
    /// Whether rows of earlier hours join the first of these; otherwise they are left out.
    static var keepsEarlierRows: Bool { get }

    /// Marks hours as folded, and inserts what is in them in the order of its content. None of them exists yet.
    /// - Parameters:
    ///   - instant: what has expired by then is left out.
    ///   - report: gets what is counted; the frame has counted people and unreadable rows.
    func insert(
        _ hours: [(hour: Hour, content: Content)], asOf instant: Date, into report: inout Report,
        in transaction: FoldTransaction
    ) throws
}

extension HourlyFold {
    /// How many hours after the current one have a key.
    ///
    /// Rows are taken for that long while no fold runs. With more hours, a copy of the private keys could open more later rows.
    package static var hoursAhead: Int { 12 }

    /// Folds every hour that ended at or before an instant.
    ///
    /// 1. Create keys for the coming hours, and close the ended hours: nothing more is sealed to them.
    /// 2. In one transaction, open the inbox, insert each hour's content in an order of its own, and empty the inbox.
    /// 3. Destroy the private keys of the closed hours.
    ///
    /// - Parameter present: what time it is, when the instant is past. What has expired since is left out.
    /// - Throws: `ClockAhead` before the first step.
    @discardableResult
    package func run(asOf instant: Date, present: Date = .distantPast) async throws -> Report {
        try await clock.require(instant)
        let last = Hour(endedBy: instant)
        let report: Report
        do {
            try await close(through: last)
            report = try await store.fold { try move(through: last, asOf: max(instant, present), in: $0) }
        } catch let problem as HourKeyProblem {
            metrics.count(problem)
            throw problem
        }
        try files.destroy(through: last)
        metrics.count(report)
        if report.unreadable > 0 {
            logger.error("rows of the inbox could not be opened", metadata: ["rows": "\(report.unreadable)"])
        }
        return report
    }

    /// The first step: ensures that the last ended hour has a key, and closes it.
    ///
    /// From then on no process can create keys for folded hours, whatever its clock says.
    package func close(through last: Hour) async throws {
        try await store.makeKeys(from: last, count: 2 + Self.hoursAhead, in: files)
        try await store.close(through: last)
    }

    /// Seconds after the hour. By then, a row that began in the old hour is either stored or joins the new hour.
    private static var delay: TimeInterval { 2 }

    /// Folds at startup and after every hour.
    func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("fold", in: runtime) { now in
            Hour(containing: now).end.addingTimeInterval(Self.delay)
        } work: { now in
            try await run(asOf: now).metadata
        }
    }

    /// The second step. Hours that were folded before stay as they are: a row that belongs to one joins the first hour after them.
    /// - Parameter instant: what has expired by then is left out.
    package func move(through last: Hour, asOf instant: Date, in transaction: FoldTransaction) throws -> Report {
        let lastFolded = try transaction.lastFoldedHour()
        var report = Report()
        report.lastHour = max(last, lastFolded ?? last).number
        guard lastFolded.map({ $0 < last }) ?? true else { return report }

        var inbox = OpenedInbox<Content>(files: files)
        try transaction.readInbox(through: last) { try inbox.add($0) }
        report.unreadable = inbox.unreadable
        let next = lastFolded?.advanced(by: 1) ?? min(inbox.hours.keys.min() ?? last, last)
        let first = max(next, last.advanced(by: -Self.longestOutage))

        var content: [Hour: Content] = [:]
        for (hour, rows) in inbox.hours {
            content[max(hour, Self.keepsEarlierRows ? first : next), default: Content()].add(rows)
        }
        let hours = (first...last).map { (hour: $0, content: content[$0] ?? Content()) }
        report.people = hours.map(\.content.people)
        try insert(hours, asOf: instant, into: &report, in: transaction)
        try transaction.emptyInbox(through: last)
        return report
    }
}
