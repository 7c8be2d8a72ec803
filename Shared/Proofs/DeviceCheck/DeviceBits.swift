package import FoundationEssentials

/// What Apple keeps of a device for a developer's team: two bits, and the month of their last change.
///
/// They outlast the app, and an erasure of the device. All apps of the team share them.
package struct DeviceBits: Hashable, Sendable {
    /// `bit0`.
    package let first: Bool
    /// `bit1`.
    package let second: Bool
    /// `last_update_time`.
    package let changed: Month

    /// See the properties.
    package init(first: Bool, second: Bool, changed: Month) {
        self.first = first
        self.second = second
        self.changed = changed
    }

    /// Days that a device waits after a self-report for the next (cwa-ppa-server, `srs-time-between-submissions-in-days`).
    package static let daysBetweenReports = 90

    /// Whether the device may have reported itself less than 90 days ago.
    ///
    /// The first bit says that it did, in the month of the last change: whoever changes the second one later gives the first a wrong
    /// date. Apple keeps no day, so the last one counts.
    package func hasReported(by now: Date) -> Bool {
        first && changed >= Month(of: now.addingTimeInterval(-86_400 * Double(Self.daysBetweenReports)))
    }

    /// A month of UTC.
    package struct Month: Hashable, Sendable, Comparable {
        /// From 2000 to 2999.
        package let year: Int
        /// From 1 to 12.
        package let number: Int

        /// Reads `YYYY-MM`; nil for anything else.
        package init?(_ text: String) {
            let digits = Array(text.utf8)
            guard digits.count == 7, digits[4] == UInt8(ascii: "-"),
                let year = Self.number(digits[..<4]), (2000...2999).contains(year),
                let number = Self.number(digits[5...]), (1...12).contains(number)
            else { return nil }
            self.year = year
            self.number = number
        }

        /// The month of an instant.
        package init(of instant: Date) {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = calendar.dateComponents([.year, .month], from: instant)
            year = parts.year ?? 0
            number = parts.month ?? 0
        }

        /// As Apple writes it.
        package var text: String { "\(year)-\(number < 10 ? "0" : "")\(number)" }

        /// Whether the left one is earlier.
        package static func < (left: Month, right: Month) -> Bool {
            (left.year, left.number) < (right.year, right.number)
        }

        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
    }
}
