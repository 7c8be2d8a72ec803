import FoundationEssentials

/// What APNs said to a page, sorted by what follows from it.
struct PageReport: Sendable {
    var accepted: [WaveRow] = []
    /// APNs has known since the hour of that instant that the token isn't in use.
    var gone: [(row: WaveRow, hour: RegistrationHour)] = []
    var wrong: [WaveRow] = []
    var givenUp = 0
    /// Those of ``givenUp`` for which there was no connection to production. What can't reach the sandbox holds nobody up.
    var unreached: [Int] = []
    /// Why a service takes no more, if it doesn't.
    var refusals: [APNsEnvironment: APNsReason] = [:]
    var tally = Breaker.Tally()

    /// - Parameter now: no token has gone later, whatever APNs's clock says.
    init(_ page: WavePage, _ outcomes: [PushOutcome], at now: Date) {
        for (number, (row, outcome)) in zip(page.pushes.map(\.row), outcomes).enumerated() {
            let isProven = row.standing == .accepted
            switch outcome {
            case .accepted: accepted.append(row)
            case .unregistered(let instant): gone.append((row, RegistrationHour(containing: min(instant, now))))
            case .wrongToken:
                wrong.append(row)
                tally.wrong += 1
                if isProven { tally.provenWrong += 1 }
            case .givenUp:
                givenUp += 1
                continue
            case .unreachable:
                givenUp += 1
                if row.environment == .production { unreached.append(number) }
                continue
            case .refused(let reason):
                givenUp += 1
                if refusals[row.environment] == nil { refusals[row.environment] = reason }
                continue
            }
            tally.answers += 1
            if isProven { tally.provenAnswers += 1 }
        }
        tally.accepted = accepted.count
    }
}
