import Postgres
import Schema
import Statistics

/// Figures of registrations and TANs, counted once when a week is over, while their rows still live.
extension FigureSource {
    /// Tests registered by QR code. Sessions are kept for 21 days, with the hour.
    static let testsRegistered = FigureSource(.testsRegistered, "", .week, delay: 3600, daysKept: 20) { session, week in
        let count = try session.row(
            """
            SELECT count(*) FROM verification.session
            WHERE hashed_guid IS NOT NULL AND created_hour >= \(week.hours.lowerBound)
                AND created_hour < \(week.hours.upperBound)
            """, as: Int.self)
        return [week.value(.testsRegistered, "", Figure.testsRegistered.definition.value(of: count ?? 0))]
    }

    /// Confirmed TANs and passwords of self-reports by the day of their first use, which is stored as a day of UTC. They are kept for
    /// 23 days.
    ///
    /// The noise is drawn before anything else: neither the threshold nor a table sees the count.
    /// - Parameter uploads: the most that one person can make in a week.
    static func warningsSent(uploads: Int) -> FigureSource {
        FigureSource(.warningsSent, "", .week, delay: 2 * 86_400, daysKept: 22) { session, week in
            var randomness = SystemRandomNumberGenerator()
            let count = try session.row(
                """
                SELECT count(*) FROM verification.used_tan
                WHERE confirmed AND day BETWEEN \(week.start.number) AND \(week.start.number + 6)
                """, as: Int.self)
            let noisy = (count ?? 0) + TwoSidedGeometric(unitsPerPerson: uploads).sample(using: &randomness)
            return [week.value(.warningsSent, "", Figure.warningsSent.definition.value(of: noisy))]
        }
    }
}
