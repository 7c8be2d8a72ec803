/// A kind of test.
///
/// Each has five codes: pending, negative, positive, invalid, redeemed (corona-warn-app/cwa-testresult-server:
/// `TestResult.java`, `QuickTestResult.java`, `PocNatResult.java`).
package enum TestFamily: Hashable, Sendable, CaseIterable {
    /// PCR tests, whose results laboratories post.
    case pcr
    /// Rapid antigen tests.
    case quick
    /// PCR tests at the point of care.
    case pocnat

    /// The code for a test without a result.
    package var pending: TestResultCode {
        switch self {
        case .pcr: .pcrPending
        case .quick: .quickPending
        case .pocnat: .pocnatPending
        }
    }

    /// The code that replaces a result that is too old. It authorises nothing, and no later result replaces it.
    package var redeemed: TestResultCode {
        switch self {
        case .pcr: .pcrRedeemed
        case .quick: .quickRedeemed
        case .pocnat: .pocnatRedeemed
        }
    }

    /// Its five codes.
    package var codes: [TestResultCode] { TestResultCode.allCases.filter { $0.family == self } }

    /// Whether a code may be posted for such a test: a laboratory posts negative, positive and invalid only, a test centre all
    /// five.
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
