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
