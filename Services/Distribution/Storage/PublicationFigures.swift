import Postgres
import Schema
import Statistics

/// Published entries and the delay of publication, by the local day to which an hour belongs. Hours are kept for 15 days.
extension FigureSource {
    /// A day is complete when an index names each of its hours. Keys that have expired since aren't counted.
    static let publishedEntries = FigureSource(.publishedEntries, "keys", .day, delay: 3600, daysKept: 14) {
        session, day in
        let row = try session.row(
            """
            SELECT count(published_after), coalesce(sum(keys), 0), coalesce(sum(reports), 0),
                percentile_disc(0.5) WITHIN GROUP (ORDER BY published_after), max(published_after)
            FROM distribution.published_hour
            WHERE hour >= \(day.hours.lowerBound) AND hour < \(day.hours.upperBound)
            """, as: Int.self, Int.self, Int.self, Int?.self, Int?.self)
        guard let (hours, keys, reports, median, worst) = row,
            hours == day.hours.count
        else { return nil }
        var values = [day.value(.publishedEntries, "keys", keys), day.value(.publishedEntries, "reports", reports)]
        if let median, let worst {
            values += [
                day.value(.publicationDelay, "median", median), day.value(.publicationDelay, "worst", worst),
            ]
        }
        return values
    }
}
