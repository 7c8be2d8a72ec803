/// The circuit breaker: stops a wave before it deletes registrations because of wrong settings.
///
/// With a wrong host, key or topic APNs rejects every token. Rejections are therefore believed only up to 5 % of the last
/// 1,000 replies. Only tokens that APNs has accepted before count, if there are enough of them: anybody can register invented
/// tokens, and must not be able to stop all waves. With fewer, rejected tokens are kept, and the wave continues if others are
/// accepted, which never happens with wrong settings.
struct Breaker: Sendable {
    /// The results of a page.
    struct Tally: Sendable, Equatable {
        /// Replies that concern a token.
        var answers = 0
        var wrong = 0
        /// The same, for tokens that were accepted before.
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
        /// Too little is known, or too many tokens are invented: they are kept for the next wave.
        case doubt
        /// The wave must stop, and no registration of the page may be deleted.
        case stop
    }

    private static let window = 1000
    /// From this number of replies for proven tokens on, only they count.
    private static let enough = 100
    /// This many wrong tokens are ignored, for small tables.
    private static let tolerated = 10
    /// One in 20 may be wrong.
    private static let share = 20

    private var pages: [Tally] = []

    /// Judges the last 1,000 replies, including those of a page.
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
