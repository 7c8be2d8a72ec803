/// Noise for a count in which each person is a few units: k with a probability proportional to e^(-|k|/scale).
///
/// With a scale of s/ε for s units a person, one person more or less changes the probability of any released value by a factor
/// of at most e^ε (Ghosh, Roughgarden and Sundararajan, *Universally Utility-Maximizing Privacy Mechanisms*, 2009). The numbers
/// come from uniform integers only: noise from floating-point logarithms reveals the count by its last bits (Mironov, *On
/// Significance of the Least Significant Bits for Differential Privacy*, 2012). The algorithm is that of Canonne, Kamath and
/// Steinke, *The Discrete Gaussian for Differential Privacy*, 2020, algorithms 1 and 2.
package struct TwoSidedGeometric: Sendable {
    /// 1 or more.
    package let scale: UInt64

    /// Noise with ε = 1/2 for a count to which a person adds at most so many.
    package init(unitsPerPerson units: Int) {
        precondition(units > 0)
        scale = 2 * UInt64(units)
    }

    /// One number, exactly so distributed if the generator's are uniform.
    package func sample(using randomness: inout some RandomNumberGenerator) -> Int {
        while true {
            let remainder = UInt64.random(in: 0..<scale, using: &randomness)
            guard Self.accepts(remainder, of: scale, using: &randomness) else { continue }
            var quotient: UInt64 = 0
            while Self.accepts(1, of: 1, using: &randomness) { quotient += 1 }
            let size = Int(remainder + scale * quotient)
            let isNegative = Bool.random(using: &randomness)
            // Zero has no sign, so it must not be drawn twice as often.
            if isNegative, size == 0 { continue }
            return isNegative ? -size : size
        }
    }

    /// True with a probability of e^(-numerator/denominator), for a numerator of at most the denominator.
    private static func accepts(
        _ numerator: UInt64, of denominator: UInt64, using randomness: inout some RandomNumberGenerator
    ) -> Bool {
        var trial: UInt64 = 1
        while UInt64.random(in: 0..<denominator * trial, using: &randomness) < numerator { trial += 1 }
        return !trial.isMultiple(of: 2)
    }
}
