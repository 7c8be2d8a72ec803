package import FoundationEssentials
package import Venues

/// A visit in the diary: where, from when, and until when.
package struct CheckIn: Codable, Hashable, Sendable, Identifiable {
    /// Its number in the diary, which no other visit ever gets.
    package let id: UInt32
    /// What kind of code was scanned; text, because an earlier app can't know a later one's kinds.
    private let format: String
    /// The bytes of the code that was scanned.
    private let payload: Data
    /// Whole seconds since the epoch.
    private let startSeconds: Int64
    /// When the visitor left, or, until then, when the phone checks out by itself.
    private(set) var endSeconds: Int64
    /// Whether the visit is over.
    package private(set) var isCheckedOut = false
    /// Whether it was shared after a positive test. The phone doesn't warn its owner of it then.
    package internal(set) var isShared = false

    init(id: UInt32, code: VenueCode, startSeconds: Int64, minutes: Int) {
        self.id = id
        format = code.format.rawValue
        payload = Data(code.payload)
        self.startSeconds = min(startSeconds, Self.lastSecond)
        endSeconds = self.startSeconds + Int64(minutes) * 60
    }

    /// What the code says of the venue; nil if this app can't read what another one kept.
    package var code: VenueCode? { VenueCode.Format(rawValue: format).flatMap { VenueCode(Array(payload), $0) } }

    /// When the visitor came.
    package var start: Date { Date(timeIntervalSince1970: Double(startSeconds)) }
    /// When the visitor left, or, until then, when the phone checks out by itself.
    package var end: Date { Date(timeIntervalSince1970: Double(endSeconds)) }

    /// When it was, up to now, in seconds since the epoch.
    func seconds(until now: Int64) -> Range<Int64> { startSeconds..<max(startSeconds, min(endSeconds, now)) }

    /// Whether an app can have written it: it began after 1970 and before the year 10000, and lasted for a day at most.
    var isConsistent: Bool {
        (0...Self.lastSecond).contains(startSeconds) && (startSeconds...(startSeconds + 86_400)).contains(endSeconds)
    }

    /// The end of the year 9999, in seconds since the epoch.
    static let lastSecond: Int64 = 253_402_300_799

    /// The visitor leaves, or has left at the planned end if that was before.
    mutating func checkOut(at now: Int64) {
        guard !isCheckedOut else { return }
        endSeconds = seconds(until: now).upperBound
        isCheckedOut = true
    }
}
