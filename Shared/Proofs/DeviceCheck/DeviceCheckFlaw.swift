/// Why a device isn't admitted. The text is a metric's label.
///
/// In the order in which cwa-ppa-server looks for them.
package enum DeviceCheckFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It isn't a token.
    case syntax
    /// Apple doesn't know the token: it is forged, from another app, or too old.
    case token
    /// Apple didn't answer the question, for a reason that isn't the device's: later it may.
    case unavailable
    /// Both bits are set.
    case blocked
    /// Somebody has asked for this device this month.
    case month
    /// It reported itself less than 90 days ago.
    case reported

    /// What cwa-ppa-server answers (`PpacErrorCode`), which the app knows; nil if the status alone says it.
    package var errorCode: String? {
        switch self {
        case .syntax: "DEVICE_TOKEN_SYNTAX_ERROR"
        case .token: "DEVICE_TOKEN_INVALID"
        case .unavailable: nil
        case .blocked: "DEVICE_BLOCKED"
        case .month: "API_TOKEN_ALREADY_ISSUED"
        case .reported: "API_TOKEN_QUOTA_EXCEEDED"
        }
    }
}
