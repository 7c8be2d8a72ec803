import CountryModel
import Foundation

/// How well an attacker tells apart two possibilities by what they hold: published packages, the database's files, or a network's traffic.
///
/// Each question has a right and a wrong answer that are equally likely beforehand: guessing finds half of them. The same attacker also
/// gets evidence that has the weakness it looks for. An attacker who finds nothing there, either, proves nothing.
struct Attack: Codable, Sendable {
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
    ///   - weak: the evidence with the weakness.
    ///   - ask: asks about some evidence.
    init<Evidence>(
        _ name: String, isPrevented: Bool = false, on evidence: Evidence, control weak: Evidence,
        ask: (Evidence) throws -> [Question]
    ) rethrows {
        let asked = try ask(evidence)
        self.name = name
        self.isPrevented = isPrevented
        questions = asked.count
        accuracy = Self.accuracy(asked)
        control = Self.accuracy(try ask(weak))
    }

    /// All attacks on what a country left behind.
    static func all(on evidence: Evidence, seed: UInt64) async throws -> [Attack] {
        var attacks = onPackages(evidence.output, seed: seed)
        for (source, files) in try evidence.databaseFiles {
            attacks.append(try await .regrouping(in: evidence.output, by: source, files, seed: seed))
        }
        attacks += [
            .lengths(in: evidence.trace, seed: seed), .uploaders(in: evidence.trace, seed: seed),
            .tested(in: evidence.trace, seed: seed),
        ]
        attacks.append(try .sightings(evidence.sightings, in: evidence.output, seed: seed))
        return attacks
    }

    /// Those that need nothing but published packages.
    static func onPackages(_ output: PublicOutput, seed: UInt64) -> [Attack] {
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
