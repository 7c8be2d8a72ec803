import FoundationEssentials

/// The outcomes of a page, grouped by their consequences.
struct PageReport: Sendable {
    var accepted: [WaveRow] = []
    /// Tokens that aren't in use, with the hour since when APNs has known it.
    var gone: [(row: WaveRow, hour: RegistrationHour)] = []
    var wrong: [WaveRow] = []
    var givenUp = 0
    /// Those of ``givenUp`` for which production was unreachable. An unreachable sandbox doesn't delay the wave.
    var unreached: [Int] = []
    /// Why a service refuses everything, if it does.
    var refusals: [APNsEnvironment: APNsReason] = [:]
    var tally = Breaker.Tally()

    /// - Parameter now: bounds the times that APNs reports.
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
