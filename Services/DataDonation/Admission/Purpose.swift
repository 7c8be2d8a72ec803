import DeviceCheck
import FoundationEssentials

/// What an app wants to be admitted for. The number is that of the tables.
enum Purpose: Int16, Sendable, CaseIterable {
    case survey
    case log
    case selfReport
    case analytics

    /// In settings.
    var name: String {
        switch self {
        case .survey: "survey"
        case .log: "log"
        case .selfReport: "selfReport"
        case .analytics: "analytics"
        }
    }

    /// Whether others would suffer from a forged request: those who read logs, and those who are warned.
    var isCritical: Bool { self == .log || self == .selfReport }

    /// How long a password is good (cwa-ppa-server, `application.yaml`: `otp-validity-in-hours`, `srs-otp-validity-in-minutes`).
    var validity: TimeInterval { self == .selfReport ? 1800 : 3600 }

    /// When the subject that was admitted now may be admitted again; nil if at any time.
    ///
    /// A survey once a calendar month of UTC, data for analysis almost once a day, a self-report once in 90 days
    /// (cwa-ppa-server, `PpacService`).
    func nextTurn(after now: Date) -> Date? {
        switch self {
        case .survey: now.startOfNextMonth
        case .log: nil
        case .selfReport: now.addingTimeInterval(86_400 * Double(DeviceBits.daysBetweenReports))
        case .analytics: now.addingTimeInterval(86_100)
        }
    }
}

extension Date {
    /// Midnight UTC.
    var startOfNextMonth: Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.dateInterval(of: .month, for: self)?.end ?? addingTimeInterval(31 * 86_400)
    }
}
