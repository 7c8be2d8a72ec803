package import Statistics

/// Released figures of a health authority of medium size, made by the real rules from random counts.
///
/// Some days and cells are too small to be shown, as it happens: quiet Sundays, a kind of test that hardly anybody uses.
package struct SampleFigures: Sendable {
    /// The values, each with the day on which it was released; none is released later than today.
    package let values: [(value: ReleasedValue, releasedOn: LocalDay)]

    /// Days from the end of a period to its release, as the services have them.
    private enum Delay {
        static let next = 1
        static let codes = 2
        static let events = 4
    }

    /// Creates the figures of so many complete weeks, and of the days of this week.
    package init(weeks: Int, until today: LocalDay, using randomness: inout some RandomNumberGenerator) {
        var values: [(value: ReleasedValue, releasedOn: LocalDay)] = []
        func release(_ value: ReleasedValue, after delay: Int) {
            let day = value.start.advanced(by: Int(value.period.rawValue) - 1 + delay)
            if day <= today { values.append((value, day)) }
        }
        for week in (0...weeks).reversed() {
            let monday = today.monday.advanced(by: -7 * week)
            // An outbreak that has its peak in the middle.
            let size = 1 + 2 / (1 + Double((week - weeks / 2) * (week - weeks / 2)) / 6)
            for value in Self.codes(from: monday, size: size, using: &randomness) { release(value, after: Delay.codes) }
            for value in Self.events(from: monday, size: size, using: &randomness) {
                release(value, after: Delay.events)
            }
            for value in Self.week(from: monday, size: size, using: &randomness) { release(value, after: Delay.codes) }
            for number in 0..<7 {
                for value in Self.day(monday.advanced(by: number), size: size, using: &randomness) {
                    release(value, after: Delay.next)
                }
            }
        }
        self.values = values
    }

    /// A count around a mean.
    private static func count(_ mean: Double, using randomness: inout some RandomNumberGenerator) -> Int {
        Int((mean * Double.random(in: 0.75...1.25, using: &randomness)).rounded())
    }

    /// TEST codes: days that are shown, the others with their week, the share of what is shown.
    private static func codes(
        from monday: LocalDay, size: Double, using randomness: inout some RandomNumberGenerator
    ) -> [ReleasedValue] {
        var values: [ReleasedValue] = []
        var rest: PartRule.Count?
        var shown = PartRule.Count(all: 0, part: 0)
        for (number, mean) in [34.0, 31, 29, 28, 24, 14, 9].enumerated() {
            let made = count(mean * size, using: &randomness)
            let counted = PartRule.Count(
                all: made, part: Int(Double(made) * .random(in: 0.55...0.72, using: &randomness)))
            let day = PartRule.codes.day(counted)
            if let all = day.all, let part = day.part {
                shown = shown + PartRule.Count(all: all, part: part)
            } else {
                rest = (rest ?? PartRule.Count(all: 0, part: 0)) + counted
            }
            values.append(ReleasedValue(.codesMade, "test", monday.advanced(by: number), .day, day.all))
            values.append(ReleasedValue(.codesRedeemed, "test", monday.advanced(by: number), .day, day.part))
        }
        if let rest = rest.map(PartRule.codes.week) {
            values.append(ReleasedValue(.codesMade, "test", monday, .week, rest.all))
            values.append(ReleasedValue(.codesRedeemed, "test", monday, .week, rest.part))
            if let all = rest.all, let part = rest.part { shown = shown + PartRule.Count(all: all, part: part) }
        }
        let share = ShareRule.share(of: shown.part, among: shown.all)
        return values + [ReleasedValue(.shareRedeemed, "test", monday, .week, share)]
    }

    /// EVENT codes, which a quiet week has too few of.
    private static func events(
        from monday: LocalDay, size: Double, using randomness: inout some RandomNumberGenerator
    ) -> [ReleasedValue] {
        let made = Int.random(in: 4...Int(16 * size), using: &randomness)
        let shown = PartRule.codes.week(.init(all: made, part: made * 6 / 10))
        let share = shown.part.flatMap { ShareRule.share(of: $0, among: shown.all ?? 0) }
        return [
            ReleasedValue(.codesMade, "event", monday, .week, shown.all),
            ReleasedValue(.codesRedeemed, "event", monday, .week, shown.part),
            ReleasedValue(.shareRedeemed, "event", monday, .week, share),
        ]
    }

    /// Registrations, results and warnings.
    private static func week(
        from monday: LocalDay, size: Double, using randomness: inout some RandomNumberGenerator
    ) -> [ReleasedValue] {
        let registered = count(1900 * size, using: &randomness)
        let warnings =
            count(95 * size, using: &randomness)
            + TwoSidedGeometric(unitsPerPerson: 2).sample(using: &randomness)
        let results = [140, 1650, 120, 2400, 9, 60].map { count($0 * size, using: &randomness) }
        let cells = zip(ResultCells.cells, CellRule.results(results)).map {
            ReleasedValue(.resultsPosted, $0, monday, .week, $1)
        }
        return [
            ReleasedValue(
                .testsRegistered, "", monday, .week, Figure.testsRegistered.definition.value(of: registered)),
            ReleasedValue(.warningsSent, "", monday, .week, Figure.warningsSent.definition.value(of: warnings)),
        ] + cells + donated(from: monday, size: size, using: &randomness)
    }

    /// What volunteers donated: few of them are warned by a visit alone.
    private static func donated(
        from monday: LocalDay, size: Double, using randomness: inout some RandomNumberGenerator
    ) -> [ReleasedValue] {
        func noisy(_ mean: Double, _ units: Int) -> Int {
            count(mean, using: &randomness) + TwoSidedGeometric(unitsPerPerson: units).sample(using: &randomness)
        }
        var values: [ReleasedValue] = []
        for (cell, mean) in zip(WarningCells.cells, [2100.0 * size, 70 * size]) {
            let warned = Figure.donatedWarnings.definition.value(of: noisy(mean, DonorWeek.donations))
            let tests = noisy(0.4 * mean, DonorWeek.tests)
            values.append(ReleasedValue(.donatedWarnings, cell, monday, .week, warned))
            values.append(
                ReleasedValue(
                    .shareTested, cell, monday, .week,
                    warned.flatMap { ShareRule.share(of: tests, among: $0, for: .shareTested) }))
        }
        let results = [[1500.0, 700, 200], [2600, 500, 150]].flatMap { means in
            ShareRule.shares(of: means.map { noisy($0 * size, DonorWeek.tests) }, for: .resultDelay)
        }
        let versions = [[38_000.0, 9_000, 4_000], [61_000, 21_000, 12_000]].flatMap { means in
            ShareRule.shares(of: means.map { noisy($0, DonorWeek.donations) }, for: .appVersions)
        }
        return values + zip(DelayCells.cells, results).map { ReleasedValue(.resultDelay, $0, monday, .week, $1) }
            + zip(VersionCells.cells, versions).map { ReleasedValue(.appVersions, $0, monday, .week, $1) }
    }

    /// Keys of a day from larger neighbours; the other countries have fewer, and the own one none.
    private static let foreignKeys = [
        "at": 620.0, "be": 480, "ch": 390, "cz": 210, "de": 0, "dk": 310, "es": 740, "fi": 150, "fr": 1800, "ie": 240,
        "it": 2400, "nl": 890, "no": 120, "pl": 430,
    ]

    /// What is counted by the day.
    private static func day(
        _ day: LocalDay, size: Double, using randomness: inout some RandomNumberGenerator
    ) -> [ReleasedValue] {
        let registered = 48_000 + Int(day.number % 365) * 20
        let sent = 12 * registered - count(3000, using: &randomness)
        let values: [(Figure, String, Int)] = [
            (.wrongEntries, "", count(38 * size, using: &randomness)),
            (.publishedEntries, "keys", 24 * 140 + count(180 * size, using: &randomness)),
            (.publishedEntries, "reports", 24 * 140 + count(25 * size, using: &randomness)),
            (.publicationDelay, "median", count(308, using: &randomness)),
            (.publicationDelay, "worst", count(460, using: &randomness)), (.pushWaves, "waves", 12),
            (.pushWaves, "registered", registered), (.pushWaves, "sent", sent),
            (.pushWaves, "accepted", sent - count(120, using: &randomness)),
            (.pushWaves, "removed", count(75, using: &randomness)),
            (.keysShared, "", 6 * 140 + count(150 * size, using: &randomness)),
        ]
        let imported = CountryCells.cells.map { cell in
            (Figure.keysImported, cell, count((foreignKeys[cell] ?? 40) * size, using: &randomness))
        }
        return (values + imported).map { ReleasedValue($0, $1, day, .day, $0.definition.value(of: $2)) }
    }
}
