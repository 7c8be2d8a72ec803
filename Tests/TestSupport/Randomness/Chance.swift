import Foundation

/// How far guessing gets by luck alone.
package enum Chance {
    /// The probability that a group of shares looked at together raises a false alarm.
    ///
    /// There are fewer than twenty such groups, so a run fails by chance less than twice in a million times.
    package static let falseAlarm = 1e-7

    /// By how much the share of right guesses may differ from 1/2 by chance.
    ///
    /// Hoeffding's inequality: among n tosses of a fair coin, the share of heads differs from 1/2 by t or more with a
    /// probability of at most 2·exp(-2nt²).
    /// - Parameter tests: how many such shares are looked at; the probability of a false alarm is divided among them.
    package static func deviation(of guesses: Int, tests: Int) -> Double {
        guard guesses > 0 else { return 0.5 }
        return (log(2 * Double(tests) / falseAlarm) / (2 * Double(guesses))).squareRoot()
    }

    /// How large the rank correlation of two unrelated series may be.
    ///
    /// Its standard deviation over all permutations is 1/√(n-1); more than 5.5 of them occur once in 2.6·10⁷ times.
    package static func correlation(of pairs: Int) -> Double { 5.5 / Double(pairs - 1).squareRoot() }
}
