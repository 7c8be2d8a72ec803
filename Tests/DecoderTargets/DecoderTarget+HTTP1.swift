import FoundationEssentials
import HTTP1
import HTTPMessage
import HTTPTypes

/// What a connection of HTTP/1.1 carries, in both directions.
extension DecoderTarget {
    /// The requests of one connection.
    static func http1Requests(_ bytes: Data) -> Verdict {
        let bytes = Array(bytes)
        let reading = HTTP1Reading(requests: bytes, atATime: bytes.count)
        guard reading == HTTP1Reading(requests: bytes, atATime: 1),
            reading == HTTP1Reading(requests: bytes, atATime: 7)
        else { return .broken("in pieces it is read otherwise") }
        if let excess = reading.excess { return .broken(excess) }
        for message in reading.messages where message.isComplete {
            guard case .request(var head) = message.head, head.authority != nil else { continue }
            var written: [UInt8] = []
            do {
                try RequestEncoder.encode(head, into: &written)
            } catch {
                return .broken("a request can't be written: \(error.reason)")
            }
            message.writeBody(head.framing, into: &written)
            head.version = .http1_1
            let again = HTTP1Reading(requests: written, atATime: written.count)
            guard again.isOne(HTTP1Reading.Message(head: .request(head), body: message.body, isComplete: true)) else {
                return .broken("written and read again, a request is another")
            }
        }
        return reading.verdict
    }

    /// A line with the methods of what was asked, then the answers until the connection's end.
    static func http1Answers(_ bytes: Data) -> Verdict {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let methods = String(decoding: line.prefix(64), as: UTF8.self).split(separator: " ").compactMap {
            HTTPRequest.Method(String($0))
        }
        let bytes = Array(bytes.dropFirst(line.count + 1))
        let reading = HTTP1Reading(answers: bytes, to: methods, atATime: bytes.count)
        guard reading == HTTP1Reading(answers: bytes, to: methods, atATime: 1),
            reading == HTTP1Reading(answers: bytes, to: methods, atATime: 7)
        else { return .broken("in pieces it is read otherwise") }
        if let excess = reading.excess { return .broken(excess) }
        for (message, method) in zip(reading.messages, methods) where message.isComplete {
            guard case .answer(var head) = message.head else { continue }
            var written: [UInt8] = []
            ResponseEncoder.encode(head, into: &written)
            message.writeBody(head.framing, into: &written)
            head.version = .http1_1
            let again = HTTP1Reading(answers: written, to: [method], atATime: written.count)
            guard again.isOne(HTTP1Reading.Message(head: .answer(head), body: message.body, isComplete: true)) else {
                return .broken("written and read again, an answer is another")
            }
        }
        return reading.verdict
    }
}

/// What a parser understood.
struct HTTP1Reading: Equatable {
    enum Head {
        case request(RequestHead)
        case answer(ResponseHead)
    }

    struct Message {
        let head: Head
        var body: [UInt8] = []
        var isComplete = false
    }

    private(set) var messages: [Message] = []
    /// The status of the violation that ended it.
    private(set) var violation: Int?
    /// A limit that doesn't hold.
    private(set) var excess: String?

    /// Small, so that a search reaches them.
    private static let (headBytes, fieldCount) = (768, 12)
    /// A parser leaves no more than a line with the connection: of a head, or of a chunk's size, which has another limit.
    private static let mostLeft = max(headBytes, 256)

    /// - Parameter step: how many bytes arrive at a time.
    init(requests bytes: [UInt8], atATime step: Int) {
        var parser = RequestParser(headBytes: Self.headBytes, fieldCount: Self.fieldCount)
        feed(bytes, step) { bytes, position, reading throws(Violation) in
            guard let part = try parser.next(bytes, &position) else { return false }
            switch part {
            case .head(let head): reading.begin(.request(head), head.fields)
            case .body(let range): reading.take(bytes.extracting(range))
            case .end: reading.end()
            }
            return true
        }
    }

    init(answers bytes: [UInt8], to methods: [HTTPRequest.Method], atATime step: Int) {
        var parser = ResponseParser(headBytes: Self.headBytes, fieldCount: Self.fieldCount)
        var waiting = methods[...]
        if let method = waiting.popFirst() { parser.expect(method) }
        feed(bytes, step) { bytes, position, reading throws(Violation) in
            guard let part = try parser.next(bytes, &position) else { return false }
            switch part {
            case .head(let head): reading.begin(.answer(head), head.fields)
            case .body(let range): reading.take(bytes.extracting(range))
            case .end:
                reading.end()
                if let method = waiting.popFirst() { parser.expect(method) }
            }
            return true
        }
        guard violation == nil else { return }
        do throws(Violation) {
            if case .end = try parser.inputEnded() { end() }
        } catch {
            violation = error.status
        }
    }

    /// Gives a parser more and more of the bytes, as a connection does.
    private mutating func feed(
        _ bytes: [UInt8], _ step: Int, _ next: (Span<UInt8>, inout Int, inout Self) throws(Violation) -> Bool
    ) {
        var position = 0
        var end = 0
        while end < bytes.count {
            end = min(end + max(step, 1), bytes.count)
            do throws(Violation) {
                while try next(bytes.span.extracting(..<end), &position, &self) {}
            } catch {
                violation = error.status
                return
            }
            if end - position >= Self.mostLeft { excess = "more is left with the connection than a line" }
        }
    }

    private mutating func begin(_ head: Head, _ fields: FieldLines) {
        if fields.count > Self.fieldCount || fields.bytes.count > Self.headBytes { excess = "a head is too large" }
        messages.append(Message(head: head))
    }

    private mutating func take(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { messages[messages.count - 1].body += $0 }
    }

    private mutating func end() { messages[messages.count - 1].isComplete = true }

    /// Whether it is this message and nothing else.
    func isOne(_ message: Message) -> Bool { violation == nil && messages == [message] }

    var verdict: DecoderTarget.Verdict {
        violation == nil && messages.contains(where: \.isComplete) ? .value : .refused
    }
}

extension HTTP1Reading.Message: Equatable {
    /// The same for whoever acts on it.
    static func == (left: Self, right: Self) -> Bool {
        left.text == right.text && left.body == right.body && left.isComplete == right.isComplete
    }

    /// All of the head. The fields that the encoders write anew aren't compared as such, and no body is as one of length 0.
    private var text: String {
        switch head {
        case .request(let head):
            "\(head.method) \(head.target) \(head.authority ?? "-") \(head.version) \(Self.text(head.framing))"
                + " \(head.keepsAlive) \(head.expectsContinue)\(Self.text(head.fields))"
        case .answer(let head):
            "\(head.status.code) \(head.version) \(Self.text(head.framing)) \(head.keepsAlive)\(Self.text(head.fields))"
        }
    }

    private static func text(_ framing: BodyFraming) -> String { framing == .none ? "length(0)" : "\(framing)" }

    private static let encoded: Set = [
        "host", "expect", "connection", "keep-alive", "content-length", "transfer-encoding",
    ]

    private static func text(_ fields: FieldLines) -> String {
        var text = ""
        fields.forEach { if !encoded.contains($0) { text += "\n\($0): \($1)" } }
        return text
    }

    /// The body as the framing has it; a chunked one in two chunks.
    func writeBody(_ framing: BodyFraming, into bytes: inout [UInt8]) {
        guard framing == .chunked else {
            bytes += body
            return
        }
        let half = body.count / 2
        ChunkEncoder.encode(body.span.extracting(..<half), into: &bytes)
        ChunkEncoder.encode(body.span.extracting(half...), into: &bytes)
        ChunkEncoder.end(into: &bytes)
    }
}
