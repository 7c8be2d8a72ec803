/// Which kind of test a result is of. Each has five codes: pending, negative, positive, invalid, redeemed
/// (Corona-Warn-App sheet, 1.6).
package enum TestFamily: Hashable, Sendable, CaseIterable {
    /// PCR tests, whose results laboratories post.
    case pcr
    /// Rapid antigen tests.
    case quick
    /// PCR tests at the point of care.
    case pocnat

    /// What a test is told to be of which no result is known.
    package var pending: TestResultCode {
        switch self {
        case .pcr: .pcrPending
        case .quick: .quickPending
        case .pocnat: .pocnatPending
        }
    }

    /// What is left of a result that is too old to be told. It entitles to nothing, and no later result replaces it.
    package var redeemed: TestResultCode {
        switch self {
        case .pcr: .pcrRedeemed
        case .quick: .quickRedeemed
        case .pocnat: .pocnatRedeemed
        }
    }

    /// Its five codes.
    package var codes: [TestResultCode] { TestResultCode.allCases.filter { $0.family == self } }

    /// Whether a code may be posted as a result of such a test: a laboratory posts negative, positive and invalid only,
    /// a test centre all five (sheet, section 2, T2, T3 and T5).
    package func accepts(_ code: TestResultCode) -> Bool {
        code.family == self && (self != .pcr || (code != pending && code != redeemed))
    }
}

extension TestResultCode {
    /// The kind of test that it is a result of.
    package var family: TestFamily {
        switch self {
        case .pcrPending, .pcrNegative, .pcrPositive, .pcrInvalid, .pcrRedeemed: .pcr
        case .quickPending, .quickNegative, .quickPositive, .quickInvalid, .quickRedeemed: .quick
        case .pocnatPending, .pocnatNegative, .pocnatPositive, .pocnatInvalid, .pocnatRedeemed: .pocnat
        }
    }
}
