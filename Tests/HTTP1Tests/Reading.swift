import HTTP1
import HTTPMessage
import HTTPTypes

/// What a parser understood: the same for the same bytes, however they arrive.
struct Reading: Equatable, CustomStringConvertible {
    struct Message: Equatable {
        var head: String
        var body: [UInt8] = []
        var isComplete = false
    }

    var messages: [Message] = []
    var violation: Int?

    var description: String {
        messages.map { "\($0.head) [\(String(decoding: $0.body, as: UTF8.self))]\($0.isComplete ? "" : "…")" }
            .joined(separator: "\n") + (violation.map { "\nviolation \($0)" } ?? "")
    }
}

extension RequestHead {
    /// All its parts in a line.
    var line: String {
        var line = "\(method) \(target) \(authority ?? "-") \(version) \(framing)"
        if !keepsAlive { line += " close" }
        if expectsContinue { line += " continue" }
        fields.forEach { line += " \($0)=\($1)" }
        return line
    }
}

extension ResponseHead {
    /// All its parts in a line.
    var line: String {
        var line = "\(status.code) \(version) \(framing)"
        if !keepsAlive { line += " close" }
        fields.forEach { line += " \($0)=\($1)" }
        return line
    }
}

/// Parses requests that arrive in pieces, as a connection would.
func readRequests(_ pieces: [[UInt8]], headBytes: Int = 16 << 10) -> Reading {
    var parser = RequestParser(headBytes: headBytes)
    var reading = Reading()
    feed(pieces, to: &reading) { bytes, position, reading throws(Violation) in
        guard let part = try parser.next(bytes, &position) else { return false }
        switch part {
        case .head(let head): reading.messages.append(Reading.Message(head: head.line))
        case .body(let range): reading.take(bytes.extracting(range))
        case .end: reading.end()
        }
        return true
    }
    return reading
}

/// Parses answers to requests with these methods, asked one after the other, and the end of the connection if it comes.
func readAnswers(_ pieces: [[UInt8]], to methods: [HTTPRequest.Method] = [.get], ends: Bool = false) -> Reading {
    var parser = ResponseParser(headBytes: 16 << 10)
    var waiting = methods[...]
    if let method = waiting.popFirst() { parser.expect(method) }
    var reading = Reading()
    func take(_ part: ResponseParser.Part, _ bytes: Span<UInt8>) {
        switch part {
        case .head(let head): reading.messages.append(Reading.Message(head: head.line))
        case .body(let range): reading.take(bytes.extracting(range))
        case .end:
            reading.end()
            if let method = waiting.popFirst() { parser.expect(method) }
        }
    }
    var found = Reading()
    feed(pieces, to: &found) { bytes, position, _ throws(Violation) in
        guard let part = try parser.next(bytes, &position) else { return false }
        take(part, bytes)
        return true
    }
    reading.violation = found.violation
    guard ends, reading.violation == nil else { return reading }
    do {
        let none: [UInt8] = []
        if let part = try parser.inputEnded() { take(part, none.span) }
    } catch {
        reading.violation = error.status
    }
    return reading
}

extension Reading {
    fileprivate mutating func take(_ bytes: Span<UInt8>) {
        for index in bytes.indices { messages[messages.count - 1].body.append(bytes[index]) }
    }

    fileprivate mutating func end() { messages[messages.count - 1].isComplete = true }
}

/// Gives a parser each piece together with what it has left of those before.
private func feed(
    _ pieces: [[UInt8]], to reading: inout Reading,
    _ next: (Span<UInt8>, inout Int, inout Reading) throws(Violation) -> Bool
) {
    var unread: [UInt8] = []
    for piece in pieces {
        unread += piece
        var position = 0
        do {
            while try next(unread.span, &position, &reading) {}
        } catch {
            reading.violation = error.status
            return
        }
        unread.removeFirst(position)
    }
}

/// The bytes one by one.
func single(_ bytes: [UInt8]) -> [[UInt8]] { bytes.map { [$0] } }

/// Numbers that look random and are the same in every run (SplitMix64).
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
