/// The result of a test as its number on the wire (corona-warn-app/cwa-testresult-server: `TestResult.java`,
/// `QuickTestResult.java`, `PocNatResult.java`).
package enum TestResultCode: Int, Hashable, Sendable, CaseIterable, Codable {
    case pcrPending = 0
    case pcrNegative = 1
    case pcrPositive = 2
    case pcrInvalid = 3
    case pcrRedeemed = 4
    case quickPending = 5
    case quickNegative = 6
    case quickPositive = 7
    case quickInvalid = 8
    case quickRedeemed = 9
    case pocnatPending = 10
    case pocnatNegative = 11
    case pocnatPositive = 12
    case pocnatInvalid = 13
    case pocnatRedeemed = 14

    /// The code for apps, which know no codes of point-of-care PCR tests: they are sent the PCR test's.
    package var forApps: TestResultCode {
        (10...14).contains(rawValue) ? Self(rawValue: rawValue - 10) ?? self : self
    }

    /// Whether the result authorises an upload.
    package var isPositive: Bool {
        switch self {
        case .pcrPositive, .quickPositive, .pocnatPositive: true
        case .pcrPending, .pcrNegative, .pcrInvalid, .pcrRedeemed, .quickPending, .quickNegative, .quickInvalid,
            .quickRedeemed, .pocnatPending, .pocnatNegative, .pocnatInvalid, .pocnatRedeemed:
            false
        }
    }
}
