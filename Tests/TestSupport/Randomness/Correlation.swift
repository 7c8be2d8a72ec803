/// How far figures go with others.
package enum Correlation {
    /// Spearman's: 1 where the one grows with the other, 0 where they have nothing to do with each other.
    package static func ofRanks(_ one: [Double], _ other: [Double]) -> Double { pearson(ranks(one), ranks(other)) }

    /// Pearson's; 0 where the one or the other never changes.
    package static func pearson(_ one: [Double], _ other: [Double]) -> Double {
        let (one, other) = (centred(one), centred(other))
        let scale = (product(one, one) * product(other, other)).squareRoot()
        return scale > 0 ? product(one, other) / scale : 0
    }

    /// Equal figures share the mean of their ranks.
    package static func ranks(_ figures: [Double]) -> [Double] {
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
