import Postgres
import Schema
import Statistics

/// The figures of donated data, counted once when every hour of their week is folded. The tables are kept for 14 days.
///
/// Noise is drawn before anything else: neither a threshold nor a table sees a count.
extension FigureSource {
    private static let daysKept = 13

    /// All of them.
    static func donations(_ noise: CountNoise = .random) -> [FigureSource] {
        [donatedWarnings(noise), resultDelay(noise), appVersions]
    }

    /// Warnings, and the share of those who test, of which one half is what is shown of the warnings.
    static func donatedWarnings(_ noise: CountNoise) -> FigureSource {
        donation(.donatedWarnings) { session, period, week in
            let warned = try DonatedCounts.warnings(in: week, session)
            let tested = try DonatedCounts.testsAtHighRisk(in: week, session)
            return zip(WarningCells.cells, zip(warned, tested)).flatMap { cell, counts -> [ReleasedValue] in
                let (warned, tested) = counts
                let shown = Figure.donatedWarnings.definition.value(of: warned + noise.draw(DonorWeek.donations))
                let tests = tested + noise.draw(DonorWeek.tests)
                return [
                    period.value(.donatedWarnings, cell, shown),
                    period.value(
                        .shareTested, cell,
                        shown.flatMap { ShareRule.share(of: tests, among: $0, for: .shareTested) }),
                ]
            }
        }
    }

    static func resultDelay(_ noise: CountNoise) -> FigureSource {
        donation(.resultDelay) { session, period, week in
            let shares = try DonatedCounts.delays(in: week, session).flatMap { classes in
                ShareRule.shares(of: classes.map { $0 + noise.draw(DonorWeek.tests) }, for: .resultDelay)
            }
            return zip(DelayCells.cells, shares).map { period.value(.resultDelay, $0, $1) }
        }
    }

    /// From the released table of versions, so that there is no second count of the same.
    static var appVersions: FigureSource {
        donation(.appVersions) { session, period, week in
            guard try ReleasedTables.isReleased(.appVersions, week, session) else { return nil }
            let lines = try ReleasedTables.versions(week, session)
            let shares = VersionCells.platforms.flatMap { platform in
                ShareRule.shares(of: ages(of: lines[platform] ?? []), for: .appVersions)
            }
            return zip(VersionCells.cells, shares).map { period.value(.appVersions, $0, $1) }
        }
    }

    /// The donations from the newest version of those that the table names, from the one before, and from all others: older ones, and
    /// what few people have.
    private static func ages(of lines: [(version: VersionLine?, count: Int)]) -> [Int] {
        let named = lines.compactMap { line in line.version.map { (version: $0, count: line.count) } }
            .sorted { $0.version > $1.version }.map(\.count)
        let others = lines.filter { $0.version == nil }.map(\.count)
        return [named.first ?? 0, named.dropFirst().first ?? 0, (named.dropFirst(2) + others).reduce(0, +)]
    }

    private static func donation(
        _ figure: Figure,
        count: @escaping @Sendable (Session, LocalPeriod, DonatedWeek) throws -> [ReleasedValue]?
    ) -> FigureSource {
        FigureSource(figure, figure.definition.cells[0], .week, delay: 3600, daysKept: daysKept) { session, period in
            let week = DonatedWeek(period.start)
            guard try DonatedCounts.isComplete(week, session) else { return nil }
            return try count(session, period, week)
        }
    }
}
