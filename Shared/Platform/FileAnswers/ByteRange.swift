/// The one range of bytes that a request's field `Range` asks for.
package enum ByteRange: Equatable, Sendable {
    /// From one byte up to and including another, or to the end.
    case from(Int, through: Int?)
    /// This many bytes at the end.
    case last(Int)

    /// Nil for several ranges, other units and malformed values, which a server may ignore (RFC 9110, section 14.2).
    package init?(_ field: String) {
        guard field.hasPrefix("bytes=") else { return nil }
        let bounds = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return nil
        }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where bounds[1].isEmpty: self = .from(first, through: nil)
        case (nil, let count?) where bounds[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// The range within a file; nil if the file has none of its bytes.
    package func range(in size: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            first < size ? first..<min(size - 1, last ?? size - 1) + 1 : nil
        case .last(let count):
            count > 0 && size > 0 ? max(0, size - count)..<size : nil
        }
    }
}
