package import HTTPMessage
import HTTPTypes

/// Writes answers of HTTP/1.1.
package enum ResponseEncoder {
    /// Writes an answer's head behind other bytes.
    ///
    /// Framing and connection come from the head's properties; fields that say something about them are left out. The
    /// answer to HEAD has the framing that the answer to GET would have, and no body follows it. A 204, a 304 and an
    /// interim answer get no length (RFC 9110, section 8.6). Field lines can't hold what would end a line.
    ///
    /// - Parameter head: its version is the request's: HTTP/1.0 is told that the connection stays open.
    package static func encode(_ head: ResponseHead, into bytes: inout [UInt8]) {
        bytes.append(constant: "HTTP/1.1 ")
        bytes.append(decimal: head.status.code)
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: head.status.reasonPhrase.utf8)
        bytes.append(constant: "\r\n")
        bytes.append(fields: head.fields)
        switch (head.status.kind, head.status, head.framing) {
        case (.informational, _, _):
            bytes.append(constant: "\r\n")
            return
        case (_, .noContent, _), (_, .notModified, _), (_, _, .untilEnd):
            break
        case (_, _, .none):
            bytes.append(constant: "content-length: 0\r\n")
        case (_, _, .length(let length)):
            bytes.append(length: length)
        case (_, _, .chunked):
            bytes.append(constant: "transfer-encoding: chunked\r\n")
        }
        if !head.keepsAlive || head.framing == .untilEnd {
            bytes.append(constant: "connection: close\r\n")
        } else if head.version == .http1_0 {
            bytes.append(constant: "connection: keep-alive\r\n")
        }
        bytes.append(constant: "\r\n")
    }
}

/// Writes requests of HTTP/1.1.
package enum RequestEncoder {
    /// Writes a request's head behind other bytes.
    ///
    /// Host, framing, connection and expectation come from the head's properties; fields that say something about them
    /// are left out.
    ///
    /// - Throws: if the target isn't in origin form, or the authority invalid: then either could end a line. Nothing is
    ///   written.
    package static func encode(_ head: RequestHead, into bytes: inout [UInt8]) throws(Violation) {
        let target = head.target.utf8Span.span
        let isAsterisk = head.method == .options && RequestTarget.isAsterisk(target)
        guard isAsterisk || RequestTarget.isOriginForm(target), let authority = head.authority,
            Authority.isValid(authority.utf8Span.span), head.framing != .untilEnd
        else { throw Violation(status: 500, "a request to send has an invalid target, host or framing") }
        bytes.append(contentsOf: head.method.rawValue.utf8)
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: head.target.utf8)
        bytes.append(constant: " HTTP/1.1\r\nhost: ")
        bytes.append(contentsOf: authority.utf8)
        bytes.append(constant: "\r\n")
        bytes.append(fields: head.fields)
        switch head.framing {
        case .length(let length):
            bytes.append(length: length)
        case .chunked:
            bytes.append(constant: "transfer-encoding: chunked\r\n")
        case .none where [.post, .put, .patch].contains(head.method):
            // RFC 9110, section 8.6: their bodies mean something, so that there is none is said.
            bytes.append(constant: "content-length: 0\r\n")
        case .none, .untilEnd:
            break
        }
        if head.expectsContinue { bytes.append(constant: "expect: 100-continue\r\n") }
        bytes.append(constant: head.keepsAlive ? "\r\n" : "connection: close\r\n\r\n")
    }
}

/// Writes chunked bodies.
package enum ChunkEncoder {
    /// Writes a chunk behind other bytes; an empty one, which would end the body, is left out.
    package static func encode(_ chunk: Span<UInt8>, into bytes: inout [UInt8]) {
        guard !chunk.isEmpty else { return }
        bytes.append(contentsOf: String(chunk.count, radix: 16).utf8)
        bytes.append(constant: "\r\n")
        chunk.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.append(constant: "\r\n")
    }

    /// Ends the body.
    package static func end(into bytes: inout [UInt8]) {
        bytes.append(constant: "0\r\n\r\n")
    }
}

extension [UInt8] {
    fileprivate mutating func append(constant text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    fileprivate mutating func append(decimal number: Int) {
        append(contentsOf: String(number).utf8)
    }

    fileprivate mutating func append(length: Int) {
        append(constant: "content-length: ")
        append(decimal: length)
        append(constant: "\r\n")
    }

    /// Fields, but those that the encoders write from a head's properties.
    fileprivate mutating func append(fields: FieldLines) {
        fields.forEachLine { name, value in
            switch name.count {
            case 4 where name.isSame(as: "host"), 6 where name.isSame(as: "expect"),
                10 where name.isSame(as: "connection") || name.isSame(as: "keep-alive"),
                14 where name.isSame(as: "content-length"),
                17 where name.isSame(as: "transfer-encoding"):
                return
            default: break
            }
            name.withUnsafeBufferPointer { append(contentsOf: $0) }
            append(constant: ": ")
            value.withUnsafeBufferPointer { append(contentsOf: $0) }
            append(constant: "\r\n")
        }
    }
}
