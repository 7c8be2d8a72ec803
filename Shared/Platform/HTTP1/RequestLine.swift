import HTTPMessage
import HTTPTypes

/// A request's first line (RFC 9112, section 3).
struct RequestLine {
    let version: HTTPVersion
    let method: HTTPRequest.Method
    /// Path and query, or `*`.
    let target: String
    /// The host and port of an absolute target, which count instead of `Host` (section 3.2.2).
    let authority: String?

    /// Parses a line of exactly three parts with exactly one space between them.
    init(_ line: Span<UInt8>) throws(Violation) {
        let methodEnd = Self.space(in: line, from: 0)
        guard let known = Self.method(line.extracting(0..<methodEnd)), methodEnd < line.count else {
            throw Violation(status: 400, "a request line has no method")
        }
        let targetEnd = Self.space(in: line, from: methodEnd + 1)
        guard targetEnd < line.count else { throw Violation(status: 400, "a request line has no version") }
        method = known
        version = try Self.version(line.extracting(targetEnd + 1..<line.count))
        // The server is no tunnel (RFC 9110, section 9.3.6).
        guard method != .connect else { throw Violation(status: 501, "a tunnel is asked for") }
        (target, authority) = try Self.target(line.extracting(methodEnd + 1..<targetEnd), method)
    }

    private static func space(in line: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < line.count, line[index] != UInt8(ascii: " ") { index += 1 }
        return index
    }

    /// A method; the usual ones are constants.
    private static func method(_ bytes: Span<UInt8>) -> HTTPRequest.Method? {
        var word: UInt64 = 0
        if bytes.count < 8 { for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) } }
        return switch word {
        case 0x47_4554: .get
        case 0x504F_5354: .post
        case 0x4845_4144: .head
        case 0x50_5554: .put
        case 0x44_454C_4554_45: .delete
        default: HTTPRequest.Method(rawValue: bytes.text)
        }
    }

    /// The version: eight bytes with case (section 2.3).
    static func version(_ bytes: Span<UInt8>) throws(Violation) -> HTTPVersion {
        guard bytes.count == 8, bytes[0] == UInt8(ascii: "H"), bytes[1] == UInt8(ascii: "T"),
            bytes[2] == UInt8(ascii: "T"), bytes[3] == UInt8(ascii: "P"), bytes[4] == UInt8(ascii: "/"),
            bytes[5].isDigit, bytes[6] == UInt8(ascii: "."), bytes[7].isDigit
        else { throw Violation(status: 400, "a version is malformed") }
        switch (bytes[5], bytes[7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): return .http1_1
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return .http1_0
        default: throw Violation(status: 505, "a version is unknown")
        }
    }

    private static func target(
        _ bytes: Span<UInt8>, _ method: HTTPRequest.Method
    ) throws(Violation) -> (String, String?) {
        if RequestTarget.isOriginForm(bytes) { return (bytes.text, nil) }
        if RequestTarget.isAsterisk(bytes), method == .options { return ("*", nil) }
        let invalid = Violation(status: 400, "a target is invalid")
        guard let start = authorityStart(bytes) else { throw invalid }
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        let rest = bytes.extracting(end..<bytes.count)
        guard Authority.isValid(bytes.extracting(start..<end)), RequestTarget.isPathAndQuery(rest) else {
            throw invalid
        }
        let authority = bytes.extracting(start..<end).text
        // Without a path, the server as a whole is meant by OPTIONS (section 3.2.4), and the root by others.
        if rest.isEmpty { return (method == .options ? "*" : "/", authority) }
        return (rest[0] == UInt8(ascii: "/") ? rest.text : "/" + rest.text, authority)
    }

    /// Where the authority of an absolute target begins.
    private static func authorityStart(_ bytes: Span<UInt8>) -> Int? {
        if bytes.count > 8, bytes.extracting(0..<8).isSame(as: "https://") { return 8 }
        if bytes.count > 7, bytes.extracting(0..<7).isSame(as: "http://") { return 7 }
        return nil
    }
}
