package import ExposureKeys
package import FoundationEssentials

/// A minute since the Unix epoch, the model's unit of time. The country lives in UTC.
package struct Minute: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The minute that contains an instant. Instants before 1970 count as the first minute.
    package init(containing instant: Date) {
        self.init(rawValue: UInt32(clamping: Int64((instant.timeIntervalSince1970 / 60).rounded(.down))))
    }

    /// A minute of a day.
    package init(_ minute: Int, of day: Day) {
        self.init(rawValue: UInt32(clamping: Int64(day.number) * Int64(Self.perDay) + Int64(minute)))
    }

    /// Minutes in a day.
    package static let perDay = 1440

    /// The instant at which the minute begins, in seconds since the epoch.
    package var startSeconds: Int64 { Int64(rawValue) * 60 }
    /// The instant at which the minute begins.
    package var date: Date { Date(timeIntervalSince1970: Double(startSeconds)) }
    /// The hour that contains it.
    package var hour: Hour { Hour(number: Int32(rawValue / 60)) }
    /// The UTC day that contains it.
    package var day: Day { hour.day }
    /// 0..<1440.
    package var ofDay: Int { Int(rawValue) % Self.perDay }

    /// So many minutes later, or earlier if negative.
    package func advanced(by minutes: Int) -> Minute {
        Minute(rawValue: UInt32(clamping: Int64(rawValue) + Int64(minutes)))
    }

    /// So many days later.
    package func advanced(byDays days: Double) -> Minute { advanced(by: Int((days * Double(Self.perDay)).rounded())) }

    /// Minutes from here to a later instant; negative if that one is earlier.
    package func minutes(until other: Minute) -> Int { Int(other.rawValue) - Int(rawValue) }

    /// The first minute, from this one on, at which people are received: from 8 to 18 o'clock.
    var duringOpeningHours: Minute {
        switch ofDay {
        case ..<480: Minute(480 + ofDay % 60, of: day)
        case 1080...: Minute(480 + ofDay % 60, of: day.advanced(by: 1))
        default: self
        }
    }

    package static func < (one: Minute, other: Minute) -> Bool { one.rawValue < other.rawValue }
}
