/// The numbers of a drawing: what it shows, and where.
///
/// Values are whole numbers from zero. Columns are equally wide; a withheld value is drawn as a hatched column and never as zero.
struct Chart: Sendable {
    /// One value on the time axis.
    enum Value: Sendable, Equatable {
        case known(Int)
        case withheld
        /// Not released (yet).
        case missing
    }

    struct Series: Sendable {
        /// Stands beside its last point; a single series has none.
        let name: String
        /// One for each column.
        let values: [Value]
    }

    /// The periods, in order: each with the label below the axis, or nil for none.
    let labels: [String?]
    let series: [Series]

    /// The size of the drawing and of its parts, in its own units.
    static let (width, height) = (800.0, 300.0)
    static let (left, top, bottom) = (64.0, 28.0, 36.0)

    /// Room for the names of several series at the right.
    var right: Double { series.count > 1 ? 132 : 12 }

    /// The values of the horizontal lines: at most six, from 0 on, in steps of 1, 2 or 5 times a power of ten.
    var ticks: [Int] { Self.ticks(upTo: greatest) }

    private var greatest: Int {
        series.flatMap(\.values).reduce(0) { greatest, value in
            if case .known(let known) = value { max(greatest, known) } else { greatest }
        }
    }

    static func ticks(upTo greatest: Int) -> [Int] {
        var power = 1
        while true {
            for factor in [1, 2, 5] {
                let step = factor * power
                let count = (max(greatest, 1) + step - 1) / step
                if count <= 5 { return (0...count).map { $0 * step } }
            }
            power *= 10
        }
    }

    /// The width of a column.
    var columnWidth: Double { (Self.width - Self.left - right) / Double(max(labels.count, 1)) }

    /// The middle of a column.
    func x(_ column: Int) -> Double { Self.left + (Double(column) + 0.5) * columnWidth }

    /// The height of a value.
    func y(_ value: Int) -> Double {
        let area = Self.height - Self.top - Self.bottom
        return Self.height - Self.bottom - Double(value) / Double(ticks.last ?? 1) * area
    }

    /// The columns in which at least one series has a withheld value.
    var withheldColumns: [Int] {
        labels.indices.filter { column in series.contains { $0.values[column] == .withheld } }
    }

    /// The heights of the series' names: beside their last points, but at least 16 apart. Nil for a series without a value.
    var nameHeights: [Double?] {
        var heights: [Double?] = series.map { pieces(of: $0).last?.last.map { y($0.value) } }
        var lowest = -Double.infinity
        let order = heights.indices.filter { heights[$0] != nil }.sorted {
            (heights[$0] ?? 0, $0) < (heights[$1] ?? 0, $1)
        }
        for index in order {
            let height = max(heights[index] ?? 0, lowest + 16)
            heights[index] = height
            lowest = height
        }
        return heights
    }

    /// The columns of a series' points in pieces without gaps.
    func pieces(of series: Series) -> [[(column: Int, value: Int)]] {
        var pieces: [[(column: Int, value: Int)]] = [[]]
        for (column, value) in series.values.enumerated() {
            if case .known(let known) = value {
                pieces[pieces.count - 1].append((column, known))
            } else if pieces.last?.isEmpty == false {
                pieces.append([])
            }
        }
        return pieces.filter { !$0.isEmpty }
    }
}
