/// Stops a wave before it deletes registrations for a fault that is ours.
///
/// With a wrong host, key or topic APNs calls every token wrong. So it is believed about a token only while it says so of few:
/// of at most 5 % of the last 1,000 answers (push sheet, 1.6.4). What counts are the answers for tokens that APNs has accepted
/// before, if there are enough of them: anybody can register made-up tokens, and must not be able to stop all waves that way.
/// While there are few, wrong tokens are kept, but the wave goes on if others are accepted, which with wrong settings none is.
struct Breaker: Sendable {
    /// What came of a page.
    struct Tally: Sendable, Equatable {
        /// Answers that say something about a token.
        var answers = 0
        var wrong = 0
        /// The same for tokens that were accepted before.
        var provenAnswers = 0
        var provenWrong = 0
        var accepted = 0

        static func + (left: Tally, right: Tally) -> Tally {
            Tally(
                answers: left.answers + right.answers, wrong: left.wrong + right.wrong,
                provenAnswers: left.provenAnswers + right.provenAnswers,
                provenWrong: left.provenWrong + right.provenWrong, accepted: left.accepted + right.accepted)
        }
    }

    enum Verdict: Sendable, Equatable {
        /// Wrong tokens may be deleted.
        case believe
        /// Too little is known, or too many are made up: they are kept for the next wave.
        case doubt
        /// The wave must stop, and nothing of the page be deleted.
        case stop
    }

    private static let window = 1000
    /// Answers for proven tokens from which on they alone count.
    private static let enough = 100
    /// As many wrong tokens are no sign in a small table.
    private static let tolerated = 10
    /// One in so many.
    private static let share = 20

    private var pages: [Tally] = []

    /// Judges the last 1,000 answers, those of a page included.
    mutating func judge(_ page: Tally) -> Verdict {
        pages.append(page)
        while pages.dropFirst().reduce(0, { $0 + $1.answers }) >= Self.window { pages.removeFirst() }
        let all = pages.reduce(Tally(), +)
        let isEnough = all.provenAnswers >= Self.enough
        let (answers, wrong) = isEnough ? (all.provenAnswers, all.provenWrong) : (all.answers, all.wrong)
        if wrong > Self.tolerated, wrong * Self.share > answers {
            let areSettingsWrong = all.accepted == 0 || all.provenWrong * Self.share > all.provenAnswers
            return areSettingsWrong ? .stop : .doubt
        }
        return all.accepted > 0 ? .believe : .doubt
    }
}
