import Statistics

/// The released tables as files for analysts (CSV, RFC 4180), made of released cells only: the same release gives the same bytes.
enum TableFiles {
    /// A table with a line of names, and a line for each cell.
    ///
    /// All are names of ours, versions, dates and numbers, none of which a spreadsheet program takes for a formula.
    static func csv(_ table: DonatedTable, _ releases: [ReleasedTables.Release]) -> String {
        let definition = table.definition
        let names = [definition.part, definition.row, definition.column].compactMap(\.self)
        let cells = releases.flatMap { release in
            release.cells.map { cell -> [String] in
                let keys = [
                    definition.part.map { _ in cell.part }, cell.row, definition.column.map { _ in cell.column },
                ]
                return ["\(release.week)"] + keys.compactMap(\.self) + [
                    cell.value.map { "\($0)" } ?? "", "\(cell.value == nil)", "\(release.definition)",
                ]
            }
        }
        return lines([["week"] + names + ["value", "withheld", "definition"]] + cells)
    }

    /// How each table was counted and protected, with the numbers that it was released with.
    static func definitions(_ releases: [(table: DonatedTable, releases: [ReleasedTables.Release])]) -> String {
        let header = [
            "table", "definition", "counts", "columns", "minimum", "rounding", "epsilon", "noise_hides", "units",
            "noise_scale", "first_week", "last_week",
        ]
        let rows = releases.flatMap { table, releases -> [[String]] in
            let definition = table.definition
            let columns = [definition.part, definition.row, definition.column].compactMap(\.self)
            return Dictionary(grouping: releases, by: \.definition).sorted { $0.key < $1.key }.compactMap {
                version, releases in
                guard let first = releases.first, let last = releases.last else { return nil }
                return [
                    table.rawValue, "\(version)", definition.counts, columns.joined(separator: " "),
                    "\(first.minimum)", "\(first.rounding)", "0.5", definition.hidden, "\(first.units)",
                    "\(TwoSidedGeometric(unitsPerPerson: first.units).scale)", "\(first.week)", "\(last.week)",
                ]
            }
        }
        return lines([header] + rows)
    }

    private static func lines(_ rows: [[String]]) -> String {
        rows.map { $0.joined(separator: ",") + "\r\n" }.joined()
    }

    /// What columns and values mean.
    static let readMe = """
        Weekly tables of donated data

        Who donated. Donors are volunteers who use the app and agreed to give data. They are no sample of the population: their
        numbers don't add up to anybody else's, and shares among them needn't hold for others.

        Files. One for each table, and definitions.csv, which says of each what it counts, in which columns, and how it is protected.

        week          the Monday of seven days of universal time (UTC)
        level         the risk level, as the app reports it
        state         the country's state by its number; 1 to 16 are Germany's, from Baden-Wuerttemberg to Thuringia in alphabetical
                      order of the German names. unknown for people who don't say
        age           in years; unknown for people who don't say
        result        the kind of test and its result. A test appears once it has a result, or when the app stops waiting for it
        outcome       whether the person uploaded keys after a positive test, or a self-report
        infectiousness, transmission_risk_level, attenuation
                      of an encounter, as the phone measured it: the weakest typical attenuation of its scans, in decibels
        system        ios or android
        version       the first two numbers of the app's version; other for all versions that few people have
        all           the sum of a row or a column, without rows and columns that are withheld as a whole
        value         about so many in that week. Each donation counts: somebody who donates daily counts seven times a week
        withheld      true if the value isn't shown
        definition    the version of the table's definition in definitions.csv

        Noise. Before anything else, each cell got a random number, once: two-sided geometric, P(k) proportional to
        exp(-|k| / noise_scale). It hides what noise_hides says: with or without that, the probability of any release of the table
        differs by a factor of at most exp(epsilon). The epsilons of several tables add up: five of them hide a person's week with
        2.5, and the three counts of the health portal's figures need 1.5 more. Those of encounters add up over a person's
        encounters. Sums are those of the cells with their noise, rounded by themselves, so they may differ from the sum of the
        values.

        Withheld. A value below the minimum is withheld. A row or column whose sum is below it is withheld as a whole, and no sum
        counts it. With other small values further ones are withheld, chosen by their place, so that no withheld value is a
        difference of shown ones. Where a table has one column, small rows are counted together as other instead.

        Once. Each cell was released once and never changes. A week isn't released if an hour of it is missing.

        """
}
