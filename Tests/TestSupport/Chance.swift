import Foundation

/// How far luck alone carries somebody who guesses.
package enum Chance {
    /// The chance that shares which are looked at together raise an alarm though there is nothing to know. There are
    /// fewer than ten such groups, so that a run fails by luck less than once in a million times.
    package static let falseAlarm = 1e-7

    /// By how much the share of right guesses may differ from 1/2 where there is nothing to know.
    ///
    /// Hoeffding's inequality: of n tosses of a fair coin, the share of heads differs from 1/2 by t or more in at most
    /// 2·exp(-2nt²) of all cases.
    /// - Parameter tests: how many such shares are looked at, among which the false alarms are divided.
    package static func deviation(of guesses: Int, tests: Int) -> Double {
        guard guesses > 0 else { return 0.5 }
        return (log(2 * Double(tests) / falseAlarm) / (2 * Double(guesses))).squareRoot()
    }

    /// How large the rank correlation of two unrelated rows of figures may be: its standard deviation over all
    /// permutations is 1/√(n-1), and more than 5.5 of them are seen once in 2.6·10⁷ times.
    package static func correlation(of pairs: Int) -> Double { 5.5 / Double(pairs - 1).squareRoot() }
}
