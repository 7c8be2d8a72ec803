import Glibc
import HTTPMessage

/// Finds the ends of lines, each byte once: where a line isn't complete yet, it goes on from there the next time.
struct Lines: Sendable {
    /// How far an incomplete line has been looked through.
    private var scanned = 0

    /// The next line without its CR LF; nil if it isn't complete. The caller moves `position` behind it.
    ///
    /// A bare LF ends nothing (RFC 9112, section 2.2): two readers that disagree about that see two messages. A bare CR
    /// stays in the line, where no rule has a place for it.
    ///
    /// - Parameters:
    ///   - position: where the line begins.
    ///   - limit: the most bytes that the line may have, with its end.
    ///   - tooLong: what a longer line violates.
    mutating func next(
        _ bytes: Span<UInt8>, from position: Int, limit: Int, tooLong: Violation
    ) throws(Violation) -> Range<Int>? {
        let end = min(bytes.count, position + limit)
        guard let lineFeed = Self.lineFeed(in: bytes, from: position + scanned, to: end) else {
            if end - position >= limit { throw tooLong }
            scanned = end - position
            return nil
        }
        scanned = 0
        guard lineFeed > position, bytes[lineFeed - 1] == UInt8(ascii: "\r") else {
            throw Violation(status: 400, "a line ends with LF alone")
        }
        return position..<lineFeed - 1
    }

    private static func lineFeed(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        guard start < end else { return nil }
        return bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress, let found = memchr(base + start, 0x0A, end - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
