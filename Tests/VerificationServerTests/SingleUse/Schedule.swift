import TestSupport

/// The concurrent calls of several phones and submission servers over time, drawn from a seed.
struct Schedule: Sendable {
    /// A known TAN and the upload it is for, as numbers.
    struct Choice: Sendable {
        let tan: Int
        let tag: Int
    }

    enum Step: Sendable {
        case register(proof: Int, isKeyed: Bool)
        /// With one of the caller's own registrations.
        case takeTAN(registration: Int)
        case reserve([Choice])
        case confirm([Choice])
        case redeem(Choice, isKeyed: Bool)
        /// The clock moves, then retention runs.
        case advance(seconds: Double)
    }

    /// What happens to an answer. A caller that doesn't receive it asks again.
    enum Fate: Sendable {
        case seen
        case lost
        /// The caller hangs up after a number of turns of the scheduler.
        case abandoned(after: Int)
    }

    struct Move: Sendable {
        let step: Step
        let fate: Fate
    }

    /// By caller.
    let moves: [[Move]]

    static let proofs = 7
    private static let callers = 8
    private static let movesPerCaller = 40
    /// Together they advance the clock by less than the 82 days for which a registered GUID is kept.
    private static let clockMoves = 8

    init(seed: UInt64) {
        var randomness = SeededGenerator(seed: seed)
        let callers = (0..<Self.callers).map { _ in
            (0..<Self.movesPerCaller).map { turn in Self.move(turn, using: &randomness) }
        }
        let clock = (0..<Self.clockMoves).map { _ in
            let longest = ([900, 900, 900, 7200, 9 * 86_400] as [Double]).randomElement(using: &randomness) ?? 0
            return Move(step: .advance(seconds: .random(in: 0...longest, using: &randomness)), fate: .seen)
        }
        moves = callers + [clock]
    }

    private init(moves: [[Move]]) {
        self.moves = moves
    }

    /// The same callers, with the clock stopped.
    var withoutTime: Schedule { Schedule(moves: moves.dropLast()) }

    /// A caller starts as a phone, so that there is a TAN to upload with, and then alternates between phone and submission
    /// server.
    private static func move(_ turn: Int, using randomness: inout SeededGenerator) -> Move {
        func choice() -> Choice {
            Choice(tan: .random(in: 0..<64, using: &randomness), tag: .random(in: 0..<3, using: &randomness))
        }
        func choices() -> [Choice] { (0..<Int.random(in: 1...4, using: &randomness)).map { _ in choice() } }
        let step: Step =
            switch turn < 4 ? turn % 2 * 4 : Int.random(in: 0..<24, using: &randomness) {
            case 0..<4:
                .register(
                    proof: .random(in: 0..<proofs, using: &randomness),
                    isKeyed: Int.random(in: 0..<4, using: &randomness) > 0)
            case 4..<8: .takeTAN(registration: .random(in: 0..<proofs, using: &randomness))
            case 8..<17: .reserve(choices())
            case 17..<23: .confirm(choices())
            default: .redeem(choice(), isKeyed: Int.random(in: 0..<3, using: &randomness) > 0)
            }
        return Move(step: step, fate: fate(using: &randomness))
    }

    private static func fate(using randomness: inout SeededGenerator) -> Fate {
        switch Int.random(in: 0..<8, using: &randomness) {
        case 0, 1: .lost
        case 2: .abandoned(after: .random(in: 0..<60, using: &randomness))
        default: .seen
        }
    }
}
