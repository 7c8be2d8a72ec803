package import FoundationEssentials

/// Which officer made a code, or acted on a venue event, or who took donated data out of the database: what the authority's auditor
/// may know, and nobody else.
package struct AuditEntry: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Days since 1970, UTC.
    package let day: Int32
    /// `TEST` or `EVENT` for a code, a ``VenueAct``, or `RAW` for donated data.
    package let kind: String
    /// The authority's number that the officer chose for a code, or empty; for a ``VenueAct`` the event's identifier; for donated data
    /// the reason.
    package let authority: String
    /// The identity provider's identifier of the officer; for donated data the name of who took them.
    package let subject: String

    /// Creates an entry. What is longer than an identity provider may make it is cut (OpenID Connect Core 1.0, section 2: `sub`
    /// has at most 255 characters).
    package init(day: Int32, kind: String, authority: String, subject: String) {
        self.day = day
        self.kind = kind.cut(to: Self.kindSize)
        self.authority = authority.cut(to: Self.authoritySize)
        self.subject = subject.cut(to: Self.subjectSize)
    }

    /// Creates an entry of an act on a venue event.
    package init(day: Int32, _ act: VenueAct, on event: UUID, subject: String) {
        self.init(day: day, kind: act.rawValue, authority: event.uuidString.lowercased(), subject: subject)
    }

    /// Creates an entry of donated data that somebody took out of the database row by row.
    /// - Parameter reason: at most ``longestReason`` bytes of UTF-8, or it is cut.
    package init(day: Int32, donatedDataTakenBy name: String, reason: String) {
        self.init(day: day, kind: "RAW", authority: reason, subject: name)
    }

    /// Bytes of UTF-8.
    package static let longestReason = authoritySize

    package var description: String { "redacted" }

    // Bytes of UTF-8.
    private static let kindSize = 8
    private static let authoritySize = 128
    private static let subjectSize = 255
    /// Bytes of every entry before it is sealed.
    static let size = 3 + kindSize + authoritySize + subjectSize

    /// All but the day: each text after its length, filled up with zeros.
    var encoded: [UInt8] {
        let texts = [kind, authority, subject].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        return texts + [UInt8](repeating: 0, count: Self.size - texts.count)
    }

    /// Nil if the bytes aren't an entry's.
    init?(_ bytes: Data, day: Int32) {
        guard bytes.count == Self.size else { return nil }
        var rest = Array(bytes)[...]
        var texts: [String] = []
        for _ in 0..<3 {
            guard let count = rest.popFirst().map(Int.init), rest.count >= count,
                let text = String(validating: rest.prefix(count), as: UTF8.self)
            else { return nil }
            texts.append(text)
            rest.removeFirst(count)
        }
        self.init(day: day, kind: texts[0], authority: texts[1], subject: texts[2])
    }
}

/// What an officer did with a venue event.
package enum VenueAct: String, Sendable, CaseIterable {
    /// Entered it by the form.
    case enter = "ENTER"
    /// Entered it by a file.
    case `import` = "IMPORT"
    /// Approved what somebody else entered, so that it was published.
    case approve = "APPROVE"
    /// Refused what somebody else entered.
    case refuse = "REFUSE"
    /// Revoked what was published.
    case revoke = "REVOKE"
}

extension String {
    /// The longest beginning of at most so many bytes of UTF-8, whole characters of Unicode only.
    fileprivate func cut(to count: Int) -> String {
        guard utf8.count > count else { return self }
        var scalars = String.UnicodeScalarView()
        var size = 0
        for scalar in unicodeScalars {
            size += String(scalar).utf8.count
            guard size <= count else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
