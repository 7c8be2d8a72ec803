import Foundation

/// How far figures go with others.
enum Correlation {
    /// Spearman's: 1 where the one grows with the other, 0 where they have nothing to do with each other.
    static func ofRanks(_ one: [Double], _ other: [Double]) -> Double { pearson(ranks(one), ranks(other)) }

    /// Pearson's; 0 where the one or the other never changes.
    static func pearson(_ one: [Double], _ other: [Double]) -> Double {
        let (one, other) = (centred(one), centred(other))
        let scale = (product(one, one) * product(other, other)).squareRoot()
        return scale > 0 ? product(one, other) / scale : 0
    }

    /// Equal figures share the mean of their ranks.
    private static func ranks(_ figures: [Double]) -> [Double] {
        let order = figures.indices.sorted { figures[$0] < figures[$1] }
        var ranks = [Double](repeating: 0, count: figures.count)
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, figures[order[end]] == figures[order[start]] { end += 1 }
            for position in start..<end { ranks[order[position]] = Double(start + end - 1) / 2 }
            start = end
        }
        return ranks
    }

    private static func centred(_ figures: [Double]) -> [Double] {
        let mean = figures.reduce(0, +) / Double(max(1, figures.count))
        return figures.map { $0 - mean }
    }

    private static func product(_ one: [Double], _ other: [Double]) -> Double {
        zip(one, other).reduce(0) { $0 + $1.0 * $1.1 }
    }
}

/// A least-squares guess at a figure from several others, held back a little (ridge) so that it learns no noise.
struct Regression {
    private let means: [Double]
    private let scales: [Double]
    private let weights: [Double]
    private let constant: Double

    init(_ rows: [[Double]], _ targets: [Double]) {
        let count = Double(max(1, rows.count))
        let columns = (rows.first ?? []).indices
        let means = columns.map { column in rows.reduce(0) { $0 + $1[column] } / count }
        let scales = columns.map { column in
            let square = rows.reduce(0) { $0 + ($1[column] - means[column]) * ($1[column] - means[column]) } / count
            return square > 0 ? 1 / square.squareRoot() : 0
        }
        let constant = targets.reduce(0, +) / count
        // Gradient descent on standardised columns.
        let scaled = rows.map { row in columns.map { (row[$0] - means[$0]) * scales[$0] } }
        var weights = [Double](repeating: 0, count: columns.count)
        for _ in 0..<60 {
            var slopes = weights.map { -0.05 * $0 }
            for (row, target) in zip(scaled, targets) {
                var error = target - constant
                for column in columns { error -= weights[column] * row[column] }
                for column in columns { slopes[column] += error * row[column] / count }
            }
            for column in columns { weights[column] += 0.1 * slopes[column] }
        }
        (self.means, self.scales, self.weights, self.constant) = (means, scales, weights, constant)
    }

    func guess(_ row: [Double]) -> Double {
        row.indices.reduce(constant) { $0 + weights[$1] * (row[$1] - means[$1]) * scales[$1] }
    }
}
