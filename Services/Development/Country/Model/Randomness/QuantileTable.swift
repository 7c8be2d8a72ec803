import Glibc

/// A distribution as a table of 4,096 equally likely values: a draw is one look-up by twelve random bits.
struct QuantileTable<Value: FixedWidthInteger & Sendable>: Sendable {
    private let values: [Value]

    /// How many random bits choose a value.
    static var bits: UInt64 { 12 }

    /// - Parameter quantile: the value below which a share of the distribution lies; rounded, and limited to the range.
    init(within range: ClosedRange<Value>, quantile: (Double) -> Double) {
        let count = 1 << Int(Self.bits)
        values = (0..<count).map { cell in
            let value = quantile((Double(cell) + 0.5) / Double(count)).rounded()
            return min(max(range.lowerBound, Value(clamping: Int64(value))), range.upperBound)
        }
    }

    /// The value for the lowest twelve of the bits.
    subscript(bits: UInt64) -> Value { values[Int(truncatingIfNeeded: bits & 0xFFF)] }

    /// The mean of what the table yields of a function.
    func mean(of measure: (Value) -> Double) -> Double { values.reduce(0) { $0 + measure($1) } / Double(values.count) }

    /// Pareto: see ``RandomStream/pareto(shape:minimum:)``.
    static func pareto(shape: Double, minimum: Double, within range: ClosedRange<Value>) -> QuantileTable {
        QuantileTable(within: range) { minimum * pow(1 - $0, -1 / shape) }
    }

    /// Gamma, by its shape and its scale. The quantiles come from the density, summed in 20,000 steps up to 30 scales above the mean.
    static func gamma(shape: Double, scale: Double, within range: ClosedRange<Value>) -> QuantileTable {
        let width = scale * (shape + 30) / 20_000
        var total = 0.0
        let sums = (0..<20_000).map { step in
            total += GammaCurve(shape: shape, scale: scale).density(at: (Double(step) + 0.5) * width) * width
            return total
        }
        return QuantileTable(within: range) { share in
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < share * total { low = middle + 1 } else { high = middle }
            }
            return (Double(low) + 0.5) * width
        }
    }
}

/// The density of a gamma distribution.
struct GammaCurve: Sendable {
    private let shape: Double
    private let scale: Double

    init(shape: Double, scale: Double) {
        self.shape = shape
        self.scale = scale
    }

    init(mean: Double, deviation: Double) {
        self.init(shape: mean * mean / (deviation * deviation), scale: deviation * deviation / mean)
    }

    func density(at value: Double) -> Double {
        guard value > 0 else { return 0 }
        return exp((shape - 1) * log(value) - value / scale - lgamma(shape) - shape * log(scale))
    }
}
