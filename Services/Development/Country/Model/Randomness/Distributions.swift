import Glibc

extension RandomStream {
    /// Exponential with mean 1.
    mutating func exponential() -> Double { -log(unit()) }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller).
    mutating func normal() -> Double { (-2 * log(unit())).squareRoot() * cos(2 * Double.pi * unit()) }

    /// Gamma (Marsaglia and Tsang, *A Simple Method for Generating Gamma Variables*, 2000); the mean, if the deviation is 0.
    mutating func gamma(mean: Double, deviation: Double) -> Double {
        guard deviation > 0 else { return mean }
        let shape = mean * mean / (deviation * deviation)
        return standardGamma(shape: shape) * mean / shape
    }

    private mutating func standardGamma(shape: Double) -> Double {
        // A shape below 1 comes from one that is larger by 1.
        guard shape >= 1 else { return standardGamma(shape: shape + 1) * pow(unit(), 1 / shape) }
        let reduced = shape - 1.0 / 3
        let scale = 1 / (9 * reduced).squareRoot()
        while true {
            let point = normal()
            let root = 1 + scale * point
            guard root > 0 else { continue }
            let cube = root * root * root
            if log(unit()) < point * point / 2 + reduced * (1 - cube + log(cube)) { return reduced * cube }
        }
    }

    /// Poisson, by multiplication; for means up to some hundred.
    mutating func poisson(mean: Double) -> Int {
        var rest = mean
        var count = -1
        repeat {
            rest -= exponential()
            count += 1
        } while rest > 0
        return count
    }

    /// Negative binomial: Poisson with a gamma-distributed mean. Simply Poisson, if the variance isn't larger than the mean.
    mutating func negativeBinomial(mean: Double, deviation: Double) -> Int {
        let excess = max(0, deviation * deviation - mean)
        return poisson(mean: gamma(mean: mean, deviation: excess.squareRoot()))
    }

    /// Lognormal, by its median and its mean, which must be larger.
    mutating func logNormal(median: Double, mean: Double) -> Double {
        median * exp(normal() * (2 * log(mean / median)).squareRoot())
    }

    /// Pareto: at least the minimum; the larger the shape, the shorter the tail. The mean is infinite for shapes up to 1.
    mutating func pareto(shape: Double, minimum: Double) -> Double { minimum * pow(unit(), -1 / shape) }
}
