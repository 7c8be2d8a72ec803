package import HTTPMessage
package import HTTPTypes

/// Parses the answers on one connection of HTTP/1.1 or 1.0, one part at a time, as strictly as requests are parsed.
///
/// Only an answer to a request is an answer: `expect` says which request it is for, and bytes without one are a
/// violation. Behind a violation, and behind an answer that is the connection's last, bytes are discarded.
package struct ResponseParser: Sendable {
    /// A part of an answer.
    package enum Part: Sendable {
        case head(ResponseHead)
        /// Bytes of the body: a range of the bytes given.
        case body(Range<Int>)
        case end
    }

    private enum State: Sendable {
        /// Nothing has been asked.
        case idle
        case statusLine
        case fields
        case body(BodyReader)
        /// Whatever comes is discarded.
        case closed
    }

    /// The most interim answers before an answer.
    private static let maxInterim = 8

    private let headBytes: Int
    private let fieldCount: Int
    private var state = State.idle
    private var method = HTTPRequest.Method.get
    private var lines = Lines()
    /// Bytes of the head that have been taken.
    private var taken = 0
    private var interim = 0
    private var version = HTTPVersion.http1_1
    private var status: HTTPResponse.Status = .ok
    private var keepsAlive = false
    private var framing = Framing()
    private var fields = FieldLines()

    /// Whether a byte of the expected answer has come. A request may be repeated on another connection if none has.
    package private(set) var hasBegun = false

    /// - Parameters:
    ///   - headBytes: the most bytes of a head with all its line ends, and of a trailer section.
    ///   - fieldCount: the most fields of a head, and of a trailer section.
    package init(headBytes: Int, fieldCount: Int = 100) {
        self.headBytes = headBytes
        self.fieldCount = fieldCount
    }

    /// Expects the answer to a request that is about to be sent, when the answer before has ended.
    package mutating func expect(_ method: HTTPRequest.Method) {
        guard case .idle = state else { return }
        self.method = method
        state = .statusLine
        hasBegun = false
        interim = 0
    }

    /// The next part, of which `position` is moved to the end; nil if more bytes are needed.
    ///
    /// Interim answers are dropped (RFC 9110, section 15.2), and more than a few of them refused.
    ///
    /// - Parameter bytes: what has come, from `position` on; what is left of it there has to come again with more.
    /// - Throws: if the answer can't be believed. The connection can't be used any more.
    package mutating func next(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Part? {
        do {
            return try parse(bytes, &position)
        } catch {
            close()
            throw Violation(status: 502, error.reason)
        }
    }

    /// The connection has ended, all its bytes having been parsed.
    ///
    /// - Returns: the end of a body that ends with the connection.
    /// - Throws: if an answer is missing or incomplete.
    package mutating func inputEnded() throws(Violation) -> Part? {
        defer { close() }
        switch state {
        case .idle, .closed: return nil
        case .body(let reader) where reader.isUntilEnd: return .end
        case .statusLine, .fields, .body: throw Violation(status: 502, "the connection ends within an answer")
        }
    }

    private mutating func parse(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Part? {
        while true {
            switch state {
            case .idle:
                guard position == bytes.count else { throw Violation(status: 502, "nobody asked for an answer") }
                return nil
            case .statusLine:
                guard position < bytes.count else { return nil }
                hasBegun = true
                // What isn't HTTP at all has no line end to wait for.
                guard bytes[position] == UInt8(ascii: "H") else { throw Self.invalidStatusLine }
                guard let line = try nextLine(bytes, &position) else { return nil }
                try takeStatusLine(bytes.extracting(line))
                fields = FieldLines(bytes: min(bytes.count - position, headBytes), lines: 12)
                framing = Framing()
                state = .fields
            case .fields:
                guard let line = try nextLine(bytes, &position) else { return nil }
                if !line.isEmpty {
                    try takeField(bytes.extracting(line))
                } else if let head = try takeHead() {
                    return .head(head)
                }
            case .body(var reader):
                let part = try reader.next(bytes, &position)
                state = .body(reader)
                switch part {
                case nil: return nil
                case .body(let range): return .body(range)
                case .end:
                    state = keepsAlive ? .idle : .closed
                    return .end
                }
            case .closed:
                position = bytes.count
                return nil
            }
        }
    }

    private static let invalidStatusLine = Violation(status: 502, "a status line is invalid")

    private mutating func nextLine(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Range<Int>? {
        let next = try lines.next(
            bytes, from: position, limit: headBytes - taken, tooLong: Violation(status: 502, "a head is too long"))
        guard let line = next else { return nil }
        taken += line.count + 2
        position = line.upperBound + 2
        return line
    }

    /// A status line: a version, a space, three digits, a space, and what nobody reads (RFC 9112, section 4).
    private mutating func takeStatusLine(_ line: Span<UInt8>) throws(Violation) {
        guard line.count >= 13, line[8] == UInt8(ascii: " "), line[9].isDigit, line[10].isDigit, line[11].isDigit,
            line[12] == UInt8(ascii: " "), line.extracting(13..<line.count).isFieldValue
        else { throw Self.invalidStatusLine }
        version = try RequestLine.version(line.extracting(0..<8))
        let code = Int(line[9] & 0x0F) * 100 + Int(line[10] & 0x0F) * 10 + Int(line[11] & 0x0F)
        guard (100...599).contains(code) else { throw Self.invalidStatusLine }
        status = HTTPResponse.Status(code: code)
        // We never ask for another protocol (RFC 9110, section 15.2.2).
        guard status != .switchingProtocols else { throw Violation(status: 502, "a protocol is switched unasked") }
    }

    private mutating func takeField(_ line: Span<UInt8>) throws(Violation) {
        guard fields.count < fieldCount else { throw Violation(status: 502, "a head has too many fields") }
        let field = try fields.append(field: line)
        try framing.take(line.extracting(field.name), line.extracting(field.value))
    }

    /// Ends the head and begins the body; nil for an interim answer, behind which the next head begins.
    private mutating func takeHead() throws(Violation) -> ResponseHead? {
        taken = 0
        try framing.check(version)
        if status.kind == .informational || status == .noContent {
            // RFC 9110, section 8.6, and RFC 9112, section 6.1: neither has a body. A length of 0 harms nobody.
            guard !framing.isChunked, (framing.length ?? 0) == 0 else {
                throw Violation(status: 502, "an answer without body has a length")
            }
        }
        if status.kind == .informational {
            interim += 1
            guard interim <= Self.maxInterim else { throw Violation(status: 502, "there are too many interim answers") }
            state = .statusLine
            return nil
        }
        let bodyFraming = self.bodyFraming
        keepsAlive = bodyFraming != .untilEnd && framing.connection.keepsAlive(version)
        var lines = FieldLines()
        swap(&lines, &fields)
        state = .body(BodyReader(bodyFraming, trailerBytes: headBytes, trailerLines: fieldCount))
        return ResponseHead(
            version: version, status: status, fields: lines, framing: bodyFraming, keepsAlive: keepsAlive)
    }

    /// RFC 9112, section 6.3: whatever an answer to HEAD and a 304 say, they have no body.
    private var bodyFraming: BodyFraming {
        if method == .head || status == .noContent || status == .notModified { return .none }
        if framing.isChunked { return .chunked }
        return framing.length.map { .length($0) } ?? .untilEnd
    }

    private mutating func close() {
        state = .closed
        fields = FieldLines()
    }
}
