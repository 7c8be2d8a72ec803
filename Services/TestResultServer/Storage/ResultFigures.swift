import Credentials
import Postgres
import Schema
import Statistics

/// Results by kind of test, positive ones and others, counted when a week is over, before any of it is redeemed (21 days).
///
/// A result belongs to the week in which a laboratory first posted it, with the code that it has two days after the week. Pending
/// ones aren't counted. Nothing is counted by laboratory.
extension FigureSource {
    static let resultsPosted = FigureSource(
        .resultsPosted, ResultCells.cells[0], .week, delay: 2 * 86_400, daysKept: 20
    ) { session, week in
        let rows = try session.rows(
            """
            SELECT code, count(*) FROM test_results.result
            WHERE created_at >= \(week.from) AND created_at < \(week.to) GROUP BY code
            """, as: Int.self, Int.self)
        let counts = Dictionary(uniqueKeysWithValues: rows)
        // In the order of the cells: each kind's positive results, then the others.
        let cells = TestFamily.allCases.flatMap { family in
            let done = family.codes.filter { $0 != family.pending && $0 != family.redeemed }
            let positives = done.filter(\.isPositive).compactMap { counts[$0.rawValue] }.reduce(0, +)
            return [positives, done.compactMap { counts[$0.rawValue] }.reduce(0, +) - positives]
        }
        return zip(ResultCells.cells, CellRule.results(cells)).map { week.value(.resultsPosted, $0, $1) }
    }
}
