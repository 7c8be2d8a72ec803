import Postgres
import Schema
import Statistics

/// The waves of a day, together. They are kept for 7 days.
extension FigureSource {
    static let pushWaves = FigureSource(.pushWaves, "waves", .day, delay: 3600, daysKept: 6) { session, day in
        let row = try session.row(
            """
            SELECT bool_or(ended_at IS NULL), count(*), coalesce((array_agg(size ORDER BY started_at DESC))[1], 0),
                coalesce(sum(sent), 0), coalesce(sum(accepted), 0), coalesce(sum(removed), 0)
            FROM push_dispatcher.wave WHERE started_at >= \(day.from) AND started_at < \(day.to)
            """, as: Bool?.self, Int.self, Int.self, Int.self, Int.self, Int.self)
        guard let (isRunning, waves, registered, sent, accepted, removed) = row, isRunning != true else { return nil }
        let counts = [
            ("waves", waves), ("registered", registered), ("sent", sent), ("accepted", accepted), ("removed", removed),
        ]
        return counts.map { cell, count in
            day.value(.pushWaves, cell, Figure.pushWaves.definition.value(of: count))
        }
    }
}
