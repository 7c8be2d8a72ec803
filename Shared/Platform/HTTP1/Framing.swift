import HTTPMessage

/// What the lines of a header say about the body's end, and about the connection's.
struct Framing: Sendable {
    private(set) var length: Int?
    private(set) var isChunked = false
    private(set) var connection = ConnectionOptions()

    /// Takes up a field, if it is one of those.
    mutating func take(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(Violation) {
        switch name.count {
        case 10 where name.isSame(as: "connection"):
            connection.add(value)
        case 14 where name.isSame(as: "content-length"):
            // RFC 9110, section 8.6 allows a list of equal lengths to be refused.
            guard length == nil else { throw Violation(status: 400, "there are two lengths") }
            length = try Self.length(value)
        case 17 where name.isSame(as: "transfer-encoding"):
            guard !isChunked else { throw Violation(status: 400, "a body is chunked twice") }
            guard !value.isEmpty else { throw Violation(status: 400, "a transfer coding has no name") }
            guard value.isSame(as: "chunked") else { throw Violation(status: 501, "a transfer coding is unknown") }
            isChunked = true
        default:
            break
        }
    }

    /// Refuses what two readers may understand differently (RFC 9112, sections 6.1 and 6.3).
    func check(_ version: HTTPVersion) throws(Violation) {
        guard !connection.namesFraming else { throw Violation(status: 400, "a body's framing isn't for all readers") }
        guard isChunked else { return }
        guard length == nil else { throw Violation(status: 400, "a chunked body has a length") }
        guard version != .http1_0 else { throw Violation(status: 400, "a body of HTTP/1.0 is chunked") }
    }

    /// Digits only, and no more than always fit.
    private static func length(_ digits: Span<UInt8>) throws(Violation) -> Int {
        guard (1...18).contains(digits.count) else { throw Violation(status: 400, "a length isn't a number") }
        var length = 0
        for index in digits.indices {
            guard digits[index].isDigit else { throw Violation(status: 400, "a length isn't a number") }
            length = length * 10 + Int(digits[index] & 0x0F)
        }
        return length
    }
}

extension FieldLines {
    /// Adds a line, and tells where its parts are in it.
    mutating func append(field line: Span<UInt8>) throws(Violation) -> (name: Range<Int>, value: Range<Int>) {
        do {
            return try append(line: line)
        } catch {
            throw Violation(status: 400, "a field line is malformed")
        }
    }
}
