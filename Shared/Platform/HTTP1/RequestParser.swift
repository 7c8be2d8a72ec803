package import HTTPMessage
import HTTPTypes

/// Parses the requests of one connection of HTTP/1.1 or 1.0, one part at a time, in one strict reading of RFC 9112.
///
/// Whatever two readers could understand differently is refused, because the difference smuggles requests. Every line
/// is parsed as soon as it is there, so that no byte is looked at twice, and the same bytes give the same parts however
/// they arrive. Memory is bounded by the limit of the head. Behind a violation, and behind a request that the client
/// said is the last, bytes are discarded.
package struct RequestParser: Sendable {
    /// A part of a request.
    package enum Part: Sendable {
        case head(RequestHead)
        /// Bytes of the body: a range of the bytes given.
        case body(Range<Int>)
        case end
    }

    private enum State: Sendable {
        /// This many empty lines have come before the request line.
        case start(emptyLines: Int)
        case fields
        case body(BodyReader)
        /// Whatever comes is discarded.
        case closed
    }

    /// RFC 9112, section 2.2 wants one to be ignored; without a bound they would keep a connection open.
    private static let maxEmptyLines = 2

    private let headBytes: Int
    private let fieldCount: Int
    private var state = State.start(emptyLines: 0)
    private var lines = Lines()
    /// Bytes of the head that have been taken.
    private var taken = 0
    private var line: RequestLine?
    private var host: String?
    private var expectsContinue = false
    private var framing = Framing()
    private var fields = FieldLines()

    /// Whether no byte of a further request has come.
    package private(set) var isBetweenRequests = true

    /// - Parameters:
    ///   - headBytes: the most bytes of a head with all its line ends, and of a trailer section.
    ///   - fieldCount: the most fields of a head, and of a trailer section.
    package init(headBytes: Int, fieldCount: Int = 100) {
        self.headBytes = headBytes
        self.fieldCount = fieldCount
    }

    /// The next part, of which `position` is moved to the end; nil if more bytes are needed.
    ///
    /// - Parameter bytes: what has come, from `position` on; what is left of it there has to come again with more.
    /// - Throws: the refusal of a request. The connection can't be used for another.
    package mutating func next(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Part? {
        do {
            return try parse(bytes, &position)
        } catch {
            close()
            throw error
        }
    }

    private mutating func parse(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Part? {
        while true {
            switch state {
            case .start(let emptyLines):
                guard position < bytes.count else { return nil }
                if bytes[position] != UInt8(ascii: "\r") {
                    isBetweenRequests = false
                    // What isn't HTTP at all has no line end to wait for.
                    guard bytes[position].isTokenByte else { throw Violation(status: 400, "a request has no method") }
                }
                guard let line = try nextLine(bytes, &position) else { return nil }
                if line.isEmpty {
                    guard emptyLines < Self.maxEmptyLines else {
                        throw Violation(status: 400, "empty lines precede a request")
                    }
                    taken = 0
                    state = .start(emptyLines: emptyLines + 1)
                } else {
                    self.line = try RequestLine(bytes.extracting(line))
                    fields = FieldLines(bytes: min(bytes.count - position, headBytes), lines: 12)
                    state = .fields
                }
            case .fields:
                guard let line = try nextLine(bytes, &position) else { return nil }
                if line.isEmpty { return .head(try takeHead()) }
                try take(bytes.extracting(line))
            case .body(var reader):
                let part = try reader.next(bytes, &position)
                state = .body(reader)
                switch part {
                case nil: return nil
                case .body(let range): return .body(range)
                case .end:
                    finish()
                    return .end
                }
            case .closed:
                position = bytes.count
                return nil
            }
        }
    }

    private mutating func nextLine(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Range<Int>? {
        let next = try lines.next(
            bytes, from: position, limit: headBytes - taken, tooLong: Violation(status: 431, "a head is too long"))
        guard let line = next else { return nil }
        taken += line.count + 2
        position = line.upperBound + 2
        return line
    }

    /// Takes up a field line.
    private mutating func take(_ line: Span<UInt8>) throws(Violation) {
        guard fields.count + (host == nil ? 0 : 1) < fieldCount else {
            throw Violation(status: 431, "a head has too many fields")
        }
        let field = try fields.append(field: line)
        let name = line.extracting(field.name)
        let value = line.extracting(field.value)
        switch name.count {
        case 4 where name.isSame(as: "host"):
            // Exactly one, and it names a host (section 3.2).
            guard host == nil, Authority.isValid(value) else { throw Violation(status: 400, "a host is invalid") }
            host = value.text
            fields.removeLast()
        case 6 where name.isSame(as: "expect"):
            if value.isSame(as: "100-continue") { expectsContinue = true }
        default:
            try framing.take(name, value)
        }
    }

    /// Ends the head and begins the body.
    private mutating func takeHead() throws(Violation) -> RequestHead {
        guard let line else { throw Violation(status: 400, "a request has no line") }
        guard host != nil || line.version == .http1_0 else { throw Violation(status: 400, "a request has no host") }
        try framing.check(line.version)
        let bodyFraming: BodyFraming = framing.isChunked ? .chunked : framing.length.map { .length($0) } ?? .none
        let hasBody = framing.isChunked || (framing.length ?? 0) > 0
        var lines = FieldLines()
        swap(&lines, &fields)
        let head = RequestHead(
            version: line.version, method: line.method, target: line.target, authority: line.authority ?? host,
            fields: lines, framing: bodyFraming, keepsAlive: framing.connection.keepsAlive(line.version),
            // HTTP/1.0 has no interim answers (RFC 9110, section 10.1.1).
            expectsContinue: expectsContinue && hasBody && line.version != .http1_0)
        state = .body(BodyReader(bodyFraming, trailerBytes: headBytes, trailerLines: fieldCount))
        return head
    }

    /// Ends the request.
    private mutating func finish() {
        guard let line, framing.connection.keepsAlive(line.version) else { return close() }
        state = .start(emptyLines: 0)
        isBetweenRequests = true
        forget()
    }

    private mutating func close() {
        state = .closed
        forget()
    }

    private mutating func forget() {
        taken = 0
        line = nil
        host = nil
        expectsContinue = false
        framing = Framing()
        fields = FieldLines()
    }
}
