import Statistics

/// One figure in a period: what its chart and its table show, made of released values only.
struct FigureTable: Sendable {
    let figure: Figure
    let rows: [Row]
    /// What each cell has in the whole period, of a figure with too many cells for a column each; else empty.
    let totals: [Cell]

    /// One day or one week.
    struct Row: Sendable {
        /// The first day.
        let start: LocalDay
        let period: Period
        /// Whether it is what the days without a value have together, which no chart shows.
        let isRest: Bool
        /// One for each cell of the figure.
        let cells: [Cell]
    }

    enum Cell: Sendable, Equatable {
        case known(Int)
        /// A part of it is withheld.
        case atLeast(Int)
        case withheld
        /// Not released (yet).
        case missing
    }

    /// A period that can be chosen. The short one has a row a day, the long one a row a week.
    enum Span: Int, Sendable, CaseIterable {
        case short = 4
        case long = 13

        /// The period's first day: a Monday.
        func start(today: LocalDay) -> LocalDay { today.monday.advanced(by: -7 * (rawValue - 1)) }
    }

    /// Nil if nothing of the figure was released in the period.
    ///
    /// - Parameter released: of all figures; others are ignored.
    init?(_ figure: Figure, in span: Span, today: LocalDay, of released: [ReleasedValue]) {
        let start = span.start(today: today)
        let own = Dictionary(grouping: released.filter { $0.figure == figure && $0.start >= start }, by: \.cell)
        guard !own.isEmpty else { return nil }
        self.figure = figure
        let cells = figure.definition.cells
        totals = cells.count > Self.mostColumns ? cells.map { Self.total(own[$0] ?? []) } : []
        let mondays = (0..<span.rawValue).map { start.advanced(by: 7 * $0) }
        if figure.definition.periods.contains(.day), span == .short {
            rows = mondays.flatMap { monday in
                let days = (0..<7).map { monday.advanced(by: $0) }.filter { $0 < today }
                let rest = Self.row(figure, monday, .week, isRest: true, own)
                return days.map { Self.row(figure, $0, .day, own) }
                    + (rest.cells.contains { $0 != .missing } ? [rest] : [])
            }
        } else if figure.definition.periods.contains(.day) {
            rows = mondays.map { Self.week(figure, $0, own) }
        } else {
            rows = mondays.map { Self.row(figure, $0, .week, own) }
        }
    }

    /// More columns fit neither a narrow window nor paper.
    private static let mostColumns = 6

    private static func total(_ released: [ReleasedValue]) -> Cell {
        let values = released.compactMap(\.value)
        guard !values.isEmpty else { return released.isEmpty ? .missing : .withheld }
        let sum = values.reduce(0, +)
        return values.count == released.count ? .known(sum) : .atLeast(sum)
    }

    private static func row(
        _ figure: Figure, _ start: LocalDay, _ period: Period, isRest: Bool = false,
        _ released: [String: [ReleasedValue]]
    ) -> Row {
        let cells = figure.definition.cells.map { cell -> Cell in
            guard let found = released[cell]?.first(where: { $0.start == start && $0.period == period }) else {
                return .missing
            }
            return found.value.map(Cell.known) ?? .withheld
        }
        return Row(start: start, period: period, isRest: isRest, cells: cells)
    }

    /// A week of a figure that is released by the day.
    private static func week(_ figure: Figure, _ monday: LocalDay, _ released: [String: [ReleasedValue]]) -> Row {
        let cells = figure.definition.cells.map { cell -> Cell in
            let own = (released[cell] ?? []).filter { $0.start.monday == monday }
            let values = own.sorted { $0.start < $1.start }.compactMap(\.value)
            guard !values.isEmpty else { return own.isEmpty ? .missing : .withheld }
            switch summary(of: figure, cell) {
            case .total:
                guard let total = WeekTotal(of: figure, cell, in: monday, own) else { return .withheld }
                return total.isComplete ? .known(total.value) : .atLeast(total.value)
            case .median: return .known(values.sorted()[values.count / 2])
            case .greatest: return .known(values.max() ?? 0)
            case .last: return .known(values.last ?? 0)
            }
        }
        return Row(start: monday, period: .week, isRest: false, cells: cells)
    }

    /// What a week shows of its days.
    private enum Summary { case total, median, greatest, last }

    private static func summary(of figure: Figure, _ cell: String) -> Summary {
        switch (figure, cell) {
        case (.publicationDelay, "median"): .median
        case (.publicationDelay, _): .greatest
        case (.pushWaves, "registered"): .last
        default: .total
        }
    }

    /// Whether it counts what volunteers donated.
    var isDonated: Bool { figure.isDonated }

    /// The cells that the chart shows: those that share a scale, four at most.
    var chartCells: [Int] {
        let cells = figure.definition.cells
        return switch figure {
        case .resultsPosted: cells.indices.filter { cells[$0].hasSuffix("positive") }
        case .resultDelay: cells.indices.filter { DelayCells.quickest.contains(cells[$0]) }
        case .appVersions: cells.indices.filter { cells[$0].hasSuffix("older") }
        case .pushWaves: cells.indices.filter { ["sent", "accepted"].contains(cells[$0]) }
        case .keysImported where !ranking.isEmpty: Array(ranking.prefix(4))
        default: Array(cells.indices.prefix(4))
        }
    }

    /// The cells that have a column in the table.
    var columns: [Int] { totals.isEmpty ? Array(figure.definition.cells.indices) : chartCells }

    /// The cells with a total, the greatest first.
    var ranking: [Int] {
        let values = totals.map { total -> Int? in
            switch total {
            case .known(let value), .atLeast(let value): value
            case .withheld, .missing: nil
            }
        }
        return values.indices.filter { values[$0] != nil }.sorted {
            (-(values[$0] ?? 0), $0) < (-(values[$1] ?? 0), $1)
        }
    }

    /// The drawing of these cells. A label stands at each Monday; of many, at every second one.
    func chart(_ words: Words.Statistics) -> Chart {
        let columns = rows.filter { !$0.isRest }
        let labels = columns.map { row -> String? in
            row.start == row.start.monday ? words.weekShort(row.start.week.number) : nil
        }
        let isDense = labels.count { $0 != nil } > 8
        return Chart(
            labels: labels.enumerated().map { isDense && $0.offset % 2 == 1 ? nil : $0.element },
            series: chartCells.map { index in
                Chart.Series(
                    name: words.cell(figure.definition.cells[index]),
                    values: columns.map { row in
                        switch row.cells[index] {
                        case .known(let value): .known(value)
                        case .atLeast, .withheld: .withheld
                        case .missing: .missing
                        }
                    })
            })
    }
}
