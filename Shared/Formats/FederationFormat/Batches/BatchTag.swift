import Crypto
package import ExposureKeys

/// The name of a batch: 1...64 letters, digits, hyphens, underscores and full stops. It is safe in a path, a header
/// field and a log.
package struct BatchTag: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    package let text: String
    package var description: String { text }

    /// As many characters as the gateway stores.
    package static let longest = 64
    /// Of the digest in the tag of an upload.
    private static let digestBytes = 20

    /// Nil for other characters or another length, for `null`, by which the gateway says that there is none, and for
    /// what a path reads as a folder.
    package init?(_ text: some StringProtocol) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            !["null", ".", ".."].contains(String(text))
        else { return nil }
        self.text = String(text)
    }

    /// The name of an upload: the country, and a digest of what is signed. Two countries never share one, and it tells
    /// no time.
    ///
    /// An upload that is repeated because its answer was lost has the same name. The gateway then answers that it has
    /// it.
    package init(of records: KeyRecords, from country: CountryCode) {
        text = "\(country)-\(Hexadecimal.text(SHA256.hash(data: records.signedBytes).prefix(Self.digestBytes)))"
    }

    /// The day in the name of one of the gateway's own batches, `yyyyMMdd-N`; nil if it has none.
    ///
    /// An audit has to name the batch's own day. Links cross midnight, so the day that was asked for may be an earlier
    /// one.
    package var day: Day? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 8, !parts[1].isEmpty, parts[1].allSatisfy(\.isWholeNumber) else {
            return nil
        }
        return Day(name: "\(parts[0].prefix(4))-\(parts[0].dropFirst(4).prefix(2))-\(parts[0].suffix(2))")
    }

    private static func isAllowed(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// What follows a batch: the header field `nextBatchTag`.
package enum BatchLink: Hashable, Sendable {
    /// The batch with this name.
    case next(BatchTag)
    /// Nothing yet.
    case end

    private static let endText = "null"

    /// Reads a field; a missing one means the end. Nil if it is no name.
    package init?(_ field: String?) {
        if field == nil || field == Self.endText {
            self = .end
        } else if let tag = field.flatMap({ BatchTag($0) }) {
            self = .next(tag)
        } else {
            return nil
        }
    }

    /// The field's value.
    package var text: String {
        switch self {
        case .next(let tag): tag.text
        case .end: Self.endText
        }
    }
}

/// Lower-case hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
