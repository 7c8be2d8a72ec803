import Postgres
import Schema
import Statistics

/// Keys that left for other countries, and that came from them, by the local day to which an hour belongs.
extension FigureSource {
    /// A slot belongs to the day of its last hour. A day is complete when each gateway that had a slot from then on has decided
    /// all of the day's, and no batch of them waits. Batches are kept for 15 days.
    ///
    /// A refused batch isn't counted: nobody has it. Keys of a batch that came back leave with a later slot, and are counted there.
    static let keysShared = FigureSource(.keysShared, "", .day, delay: 3600, daysKept: 14) { session, day in
        let (first, end) = (day.hours.lowerBound, day.hours.upperBound)
        let row = try session.row(
            """
            SELECT
                (SELECT bool_and(last >= \(end - 1)) FROM (
                    SELECT max(hour) AS last FROM federation.shared_slot WHERE hour >= \(first) GROUP BY gateway
                ) AS decided),
                EXISTS (
                    SELECT FROM federation.outgoing_batch
                    WHERE state = 'waiting' AND hour >= \(first) AND hour < \(end)),
                (SELECT coalesce(max(keys), 0) FROM (
                    SELECT sum(keys) AS keys FROM federation.outgoing_batch
                    WHERE state = 'delivered' AND hour >= \(first) AND hour < \(end) GROUP BY gateway
                ) AS sent)
            """, as: Bool?.self, Bool.self, Int.self)
        guard let (isDecided, isWaiting, keys) = row, isDecided == true, !isWaiting else { return nil }
        return [day.value(.keysShared, "", Figure.keysShared.definition.value(of: keys))]
    }

    /// A day is complete when its last hour of import has ended. Keys that have expired since aren't counted, so a day isn't
    /// released much later.
    static let keysImported = FigureSource(.keysImported, "at", .day, delay: 3600, daysKept: 3) { session, day in
        let ended = try session.row("SELECT max(hour) FROM foreign_keys.imported_hour", as: Int32?.self).flatMap { $0 }
        guard let ended, ended >= day.hours.upperBound - 1 else { return nil }
        let counted = try session.rows(
            """
            SELECT lower(origin), count(*) FROM foreign_keys.diagnosis_key
            WHERE hour >= \(day.hours.lowerBound) AND hour < \(day.hours.upperBound) GROUP BY origin
            """, as: String.self, Int.self)
        let counts = Dictionary(uniqueKeysWithValues: counted.map { ($0.0, $0.1) })
        let definition = Figure.keysImported.definition
        return definition.cells.map { day.value(.keysImported, $0, definition.value(of: counts[$0] ?? 0)) }
    }
}
