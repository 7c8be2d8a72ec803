import CountryModel
import Foundation

/// How well an attacker tells apart two possibilities by what is public.
///
/// Each question has a right and a wrong answer that are equally likely beforehand: guessing finds half of them. The same attacker also
/// gets output that has the weakness it looks for. An attacker who finds nothing there, either, proves nothing.
struct Attack: Codable, Sendable {
    /// What the attacker wants to know.
    let name: String
    /// The attacker's scores of a question's two answers. The answer with the higher score is taken, and of equal ones any.
    typealias Question = (right: Double, wrong: Double)

    /// How many questions were asked about what was published.
    let questions: Int
    /// The share of right answers.
    let accuracy: Double
    /// The share of right answers about the output with the weakness.
    let control: Double

    /// Whether the share is more than chance gives once in three million runs (five standard deviations).
    var findsSomething: Bool { accuracy > 0.5 + 5 * (0.25 / Double(max(questions, 1))).squareRoot() }

    /// - Parameters:
    ///   - weak: the output with the weakness.
    ///   - ask: asks about an output.
    init(
        _ name: String, on output: PublicOutput, control weak: PublicOutput,
        ask: (PublicOutput) -> [Question]
    ) {
        let asked = ask(output)
        self.name = name
        questions = asked.count
        accuracy = Self.accuracy(asked)
        control = Self.accuracy(ask(weak))
    }

    /// All attacks on an output.
    static func all(on output: PublicOutput, seed: UInt64) -> [Attack] {
        [
            .orderOfKeys(in: output, seed: seed), .hoursOfUpload(in: output, seed: seed),
            .busyDays(in: output), .fillers(in: output, seed: seed),
        ]
    }

    private static func accuracy(_ asked: [Question]) -> Double {
        guard !asked.isEmpty else { return 0.5 }
        let points = asked.reduce(0) { $0 + ($1.right > $1.wrong ? 1 : $1.right == $1.wrong ? 0.5 : 0) }
        return points / Double(asked.count)
    }
}
