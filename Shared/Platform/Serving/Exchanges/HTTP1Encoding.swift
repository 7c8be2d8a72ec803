import HTTP1
import HTTPMessage
import HTTPTypes
import Running

/// Writes answers of HTTP/1.1; one for all connections of a listener on a core.
final class HTTP1Encoding {
    let padding: LinePadding?
    private let date: HTTPDate

    init(date: HTTPDate, padding: AnswerPadding?) {
        self.date = date
        self.padding = padding.map { LinePadding($0) }
    }

    /// A longer body isn't copied behind the header; together they would hardly be one TLS record.
    private static let longestJoined = 4 << 10

    /// The bytes of an answer; nil if it is too long for the padding.
    ///
    /// - Parameter isHead: whether the request is HEAD, whose answer has no body.
    func encode(
        _ answer: ServerAnswer, version: HTTPVersion = .http1_1, keepsAlive: Bool, isHead: Bool
    ) -> EncodedAnswer? {
        let body = answer.body.bytes
        let sent = isHead ? [] : body
        var bytes = head(answer, version: version, framing: .length(body.count), keepsAlive: keepsAlive)
        if let padding {
            let rest = padding.length - bytes.count - padding.name.count - 2 - sent.count
            guard rest >= 0 else { return nil }
            // Before the empty line that ends the header.
            bytes.removeLast(2)
            bytes.append(contentsOf: padding.name)
            bytes.append(contentsOf: padding.filling[..<rest])
            bytes.append(contentsOf: "\r\n\r\n".utf8)
        }
        let isJoined = sent.count <= Self.longestJoined || padding != nil
        if isJoined { bytes.append(contentsOf: sent) }
        return EncodedAnswer(
            status: answer.status, bytes: bytes, body: isJoined ? [] : sent, closes: !keepsAlive, unframed: nil)
    }

    /// Status line and fields, with the date.
    func head(_ answer: ServerAnswer, version: HTTPVersion, framing: BodyFraming, keepsAlive: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(padding?.length ?? 512)
        ResponseEncoder.encode(
            ResponseHead(
                version: version, status: answer.status, fields: answer.fields, framing: framing,
                keepsAlive: keepsAlive), into: &bytes)
        // Before the empty line that ends the header.
        bytes.removeLast(2)
        bytes.append(contentsOf: "date: ".utf8)
        bytes.append(contentsOf: date.text.utf8)
        bytes.append(contentsOf: "\r\n\r\n".utf8)
        return bytes
    }
}
