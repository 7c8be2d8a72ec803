/// The result of a test as its number on the wire (Corona-Warn-App sheet, 1.6).
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

    /// The number the apps know: those of point-of-care PCR tests leave the test result server as PCR numbers.
    package var forApps: TestResultCode {
        (10...14).contains(rawValue) ? Self(rawValue: rawValue - 10) ?? self : self
    }

    /// Whether the result entitles to an upload.
    package var isPositive: Bool {
        switch self {
        case .pcrPositive, .quickPositive, .pocnatPositive: true
        case .pcrPending, .pcrNegative, .pcrInvalid, .pcrRedeemed, .quickPending, .quickNegative, .quickInvalid,
            .quickRedeemed, .pocnatPending, .pocnatNegative, .pocnatInvalid, .pocnatRedeemed:
            false
        }
    }
}
