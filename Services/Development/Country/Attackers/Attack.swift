/// How well an attacker tells apart two possibilities by the traffic of phones' networks.
///
/// Each question has a right and a wrong answer that are equally likely beforehand: guessing finds half of them. The same attacker also
/// gets traffic that has the weakness it looks for. An attacker who finds nothing there, either, proves nothing.
struct Attack: Encodable, Sendable {
    /// What the attacker wants to know.
    let name: String
    /// Whether the suite promises that the attacker can only guess.
    let isPrevented: Bool
    /// The attacker's scores of a question's two answers. The answer with the higher score is taken, and of equal ones any.
    typealias Question = (right: Double, wrong: Double)

    /// How many questions were asked.
    let questions: Int
    /// The share of right answers.
    let accuracy: Double
    /// The share of right answers about the evidence with the weakness.
    let control: Double

    /// Whether the share is more than chance gives once in three million runs (five standard deviations).
    var findsSomething: Bool { accuracy > 0.5 + 5 * (0.25 / Double(max(questions, 1))).squareRoot() }

    /// - Parameters:
    ///   - weak: the traffic with the weakness.
    ///   - ask: asks about some traffic.
    init(
        _ name: String, isPrevented: Bool = false, on trace: NetworkTrace, control weak: NetworkTrace,
        ask: (NetworkTrace) -> [Question]
    ) {
        let asked = ask(trace)
        self.name = name
        self.isPrevented = isPrevented
        questions = asked.count
        accuracy = Self.accuracy(asked)
        control = Self.accuracy(ask(weak))
    }

    /// All attacks on what passed on a country's networks.
    static func all(on trace: NetworkTrace, seed: UInt64) -> [Attack] {
        [.lengths(in: trace, seed: seed), .uploaders(in: trace, seed: seed), .tested(in: trace, seed: seed)]
    }

    private static func accuracy(_ asked: [Question]) -> Double {
        guard !asked.isEmpty else { return 0.5 }
        let points = asked.reduce(0) { $0 + ($1.right > $1.wrong ? 1 : $1.right == $1.wrong ? 0.5 : 0) }
        return points / Double(asked.count)
    }
}
