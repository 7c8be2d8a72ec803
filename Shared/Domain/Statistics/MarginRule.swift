/// The rule for a table of counts that is shown with the sums of its rows and of its columns.
///
/// A row or column whose sum is below the minimum is withheld as a whole, and no sum counts it. Of the rest a count below the minimum
/// is withheld, and with it others: so many that no withheld count, and no sum of withheld counts that is below the minimum, is the
/// difference of shown ones. Which others those are, the order of the table decides and not their size, or the choice would tell
/// which one is small.
package struct MarginRule: Sendable {
    /// Smaller counts are withheld.
    package let minimum: Int
    /// What values are rounded to.
    package let rounding: Int

    /// Creates a rule with its numbers.
    package init(minimum: Int, rounding: Int) {
        self.minimum = minimum
        self.rounding = rounding
    }

    /// The value to show for a count that is part of nothing; nil if it is withheld.
    package func value(of count: Int) -> Int? { count < minimum ? nil : rounded(count) }

    /// The values to show, with the sums: a row more for those of the columns and a column more for those of the rows.
    /// - Parameter counts: rows of the same length, of two columns or more. Noise may have made counts negative.
    package func shown(_ counts: [[Int]]) -> [[Int?]] {
        let (rows, columns) = large(counts)
        var table = Table(rows.map { row in columns.map { counts[row][$0] } })
        let small = table.positions.filter { table[$0] < minimum }
        for place in small { table.withhold(place) }
        while let next = table.next(minimum: minimum) { table.withhold(next) }
        // The sums are the last row and column in either table.
        let (height, width) = (counts.count, counts.first?.count ?? 0)
        var shown = [[Int?]](repeating: [Int?](repeating: nil, count: width + 1), count: height + 1)
        guard !rows.isEmpty else { return shown }
        for (own, row) in (rows + [height]).enumerated() {
            for (place, column) in (columns + [width]).enumerated() where !table.isWithheld[own][place] {
                shown[row][column] = rounded(table.counts[own][place])
            }
        }
        return shown
    }

    /// The rows and columns whose sums aren't small, without those that are.
    private func large(_ counts: [[Int]]) -> (rows: [Int], columns: [Int]) {
        var (rows, columns) = (Array(counts.indices), Array((counts.first ?? []).indices))
        while true {
            let kept = rows.filter { row in columns.map { counts[row][$0] }.reduce(0, +) >= minimum }
            let left = columns.filter { column in kept.map { counts[$0][column] }.reduce(0, +) >= minimum }
            if kept == rows, left == columns { return (rows, columns) }
            (rows, columns) = (kept, left)
        }
    }

    private func rounded(_ count: Int) -> Int { (count + rounding / 2) / rounding * rounding }

    private struct Place: Hashable {
        var row: Int
        var column: Int
    }

    /// Counts with their sums.
    private struct Table {
        private(set) var counts: [[Int]]
        private(set) var isWithheld: [[Bool]]

        init(_ cells: [[Int]]) {
            let rows = cells.map { $0 + [$0.reduce(0, +)] }
            let width = rows.first?.count ?? 0
            counts = rows + [(0..<width).map { column in rows.map { $0[column] }.reduce(0, +) }]
            isWithheld = counts.map { $0.map { _ in false } }
        }

        subscript(place: Place) -> Int { counts[place.row][place.column] }

        mutating func withhold(_ place: Place) { isWithheld[place.row][place.column] = true }

        var positions: [Place] { counts.indices.flatMap(row) }

        private func row(_ row: Int) -> [Place] { counts[row].indices.map { Place(row: row, column: $0) } }

        /// Rows and columns, each with its sum as the last place: what can be subtracted from each other.
        private var lines: [[Place]] {
            counts.indices.map(row)
                + (counts.first ?? []).indices.map { column in counts.indices.map { Place(row: $0, column: column) } }
        }

        /// What has to be withheld in addition; nil if nothing.
        func next(minimum: Int) -> Place? {
            for line in lines where isRevealing(line, minimum: minimum) {
                if let place = unheld(in: line) { return place }
            }
            return firstBridge.flatMap { bridge in
                unheld(in: row(bridge.row)) ?? unheld(in: counts.indices.map { Place(row: $0, column: bridge.column) })
            }
        }

        /// Whether the line's difference is a withheld count, or a small sum of withheld ones.
        private func isRevealing(_ line: [Place], minimum: Int) -> Bool {
            let held = line.filter { isWithheld[$0.row][$0.column] }
            guard let total = line.last, !held.isEmpty else { return false }
            if held.count == 1 { return true }
            return !held.contains(total) && held.map { self[$0] }.reduce(0, +) < minimum
        }

        /// The first shown place after the first withheld one, the sum last.
        private func unheld(in line: [Place]) -> Place? {
            let (parts, total) = (line.dropLast(), line.suffix(1))
            let start = parts.firstIndex { isWithheld[$0.row][$0.column] } ?? 0
            return (parts[start...] + parts[..<start] + total).first { !isWithheld[$0.row][$0.column] }
        }

        /// A withheld count that rows and columns together reveal.
        ///
        /// Each withheld place connects its row and its column. It follows from the others if there is no other way between them:
        /// then it is the difference of what is shown on either side of it.
        private var firstBridge: Place? {
            let held = positions.filter { isWithheld[$0.row][$0.column] }
            return held.first { bridge in
                var (rows, columns): (Set<Int>, Set<Int>) = ([bridge.row], [])
                var reached = -1
                while reached != rows.count + columns.count {
                    reached = rows.count + columns.count
                    for place in held where place != bridge {
                        if rows.contains(place.row) { columns.insert(place.column) }
                        if columns.contains(place.column) { rows.insert(place.row) }
                    }
                }
                return !columns.contains(bridge.column)
            }
        }
    }
}
