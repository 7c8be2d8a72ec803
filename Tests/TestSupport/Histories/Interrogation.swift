import Foundation

/// A question with one right and one wrong answer, and what the attacker sees of each: a value for every clue.
package struct Question: Sendable {
    let right: [Double]
    let wrong: [Double]

    /// Creates a question from the clues of its two answers.
    package init(right: [Double], wrong: [Double]) {
        self.right = right
        self.wrong = wrong
    }
}

/// An attacker who learns from half of the questions with their answers, and then answers the other half.
///
/// The two answers are put in random order. If they are exchangeable, each guess is right with probability 1/2, independently
/// of all others and of everything learnt.
package struct Interrogation {
    /// How often a guess was right.
    package struct Score: Sendable, CustomStringConvertible {
        /// The clue that was used; "all together" for all of them.
        package let clue: String
        let right: Int
        let guesses: Int
        /// The share of guesses that were right.
        package let share: Double

        package var description: String { "\(clue): \(right) of \(guesses)" }
    }

    private struct Case {
        /// For each clue, its value for the first answer minus its value for the second.
        let differences: [Double]
        let isFirst: Bool
    }

    /// One score for each clue alone; the last one is for all clues together.
    package private(set) var scores: [Score] = []

    /// Learns from one half of the questions and answers the other.
    /// - Parameter clues: the names of the clues.
    package init(_ clues: [String], _ questions: [Question], seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let cases = questions.shuffled(using: &random).map { question in
            let isFirst = Bool.random(using: &random)
            return Case(
                differences: zip(question.right, question.wrong).map { right, wrong in
                    let difference = isFirst ? right - wrong : wrong - right
                    return difference < 0 ? -log1p(-difference) : log1p(difference)
                }, isFirst: isFirst)
        }
        let learnt = Array(cases[..<(cases.count / 2)])
        let asked = Array(cases[(cases.count / 2)...])
        scores = clues.indices.map { clue in
            let balance = learnt.reduce(0) { $0 + ($1.differences[clue] * ($1.isFirst ? 1 : -1)).sign }
            return Self.score(clues[clue], asked, using: &random) { $0.differences[clue] * (balance < 0 ? -1 : 1) }
        }
        let weights = Self.weights(clues.count, learntFrom: learnt)
        scores.append(Self.score("all together", asked, using: &random) { Self.product(weights, $0.differences) })
    }

    /// The scores that can't be explained by luck.
    package var suspicious: [Score] {
        scores.filter { abs($0.share - 0.5) > Chance.deviation(of: $0.guesses, tests: scores.count) }
    }

    /// The share of right guesses with all clues together.
    package var share: Double { scores.last?.share ?? 0.5 }

    /// How many questions were answered.
    package var guesses: Int { scores.last?.guesses ?? 0 }

    /// - Parameter leaning: above zero if the first answer looks right; at zero the guess is random.
    private static func score(
        _ clue: String, _ cases: [Case], using random: inout SeededGenerator, leaning: (Case) -> Double
    ) -> Score {
        let right = cases.count { item in
            let leaning = leaning(item)
            return (leaning == 0 ? Bool.random(using: &random) : leaning > 0) == item.isFirst
        }
        return Score(
            clue: clue, right: right, guesses: cases.count, share: Double(right) / Double(max(1, cases.count)))
    }

    /// Logistic regression by stochastic gradient descent.
    private static func weights(_ count: Int, learntFrom cases: [Case]) -> [Double] {
        let scales = (0..<count).map { clue in
            let square = cases.reduce(0) { $0 + $1.differences[clue] * $1.differences[clue] }
            return square > 0 ? (Double(cases.count) / square).squareRoot() : 0
        }
        var weights = [Double](repeating: 0, count: count)
        for round in 0..<8 {
            let rate = 0.05 / Double(1 + round)
            for item in cases {
                let scaled = zip(item.differences, scales).map(*)
                let error = (item.isFirst ? 1 : 0) - 1 / (1 + exp(-product(weights, scaled)))
                for clue in 0..<count { weights[clue] += rate * error * scaled[clue] }
            }
        }
        return zip(weights, scales).map(*)
    }

    private static func product(_ left: [Double], _ right: [Double]) -> Double {
        var sum = 0.0
        for number in left.indices { sum += left[number] * right[number] }
        return sum
    }
}

extension Double {
    fileprivate var sign: Int { self > 0 ? 1 : self < 0 ? -1 : 0 }
}
