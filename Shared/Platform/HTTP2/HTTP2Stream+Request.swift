import HTTPMessage
import HTTPTypes

extension HTTP2Stream {
    /// The request that has arrived.
    ///
    /// nghttp2 has checked the order and number of pseudo-fields, names and values, `content-length`, and the fields that
    /// HTTP/2 forbids. It doesn't compare `Host` with `:authority`, so that a service might trust the wrong one
    /// (<https://github.com/nghttp2/nghttp2/issues/2883>).
    func request(ends: Bool) throws(Violation) -> RequestHead {
        if let excess { throw excess }
        guard let method = HTTPRequest.Method(String(decoding: method, as: UTF8.self)) else {
            throw Violation(status: 400, "the method isn't a token")
        }
        guard method != .connect else { throw Violation(status: 501, "CONNECT isn't supported") }
        guard scheme.elementsEqual("https".utf8) || scheme.elementsEqual("http".utf8) else {
            throw Violation(status: 400, "an unknown scheme")
        }
        let path = path
        let target = path.span
        guard RequestTarget.isOriginForm(target) || (method == .options && RequestTarget.isAsterisk(target)) else {
            throw Violation(status: 400, "the path is malformed")
        }
        if !cookie.isEmpty { fields.append(Self.cookieName, String(decoding: cookie, as: UTF8.self)) }
        return RequestHead(
            version: .http2, method: method, target: target.text, authority: try checkedAuthority(), fields: fields,
            framing: ends || length == 0 ? .none : length.map { .length($0) } ?? .chunked,
            expectsContinue: expectsContinue)
    }

    /// Host and port of `:authority`; of `Host` where only that was sent (RFC 9113, section 8.3.1).
    private func checkedAuthority() throws(Violation) -> String {
        guard hostCount < 2 else { throw Violation(status: 400, "several Host fields") }
        let named = authority.isEmpty ? host : authority
        guard Authority.isValid(named.span) else { throw Violation(status: 400, "the authority is malformed") }
        if !authority.isEmpty, hostCount == 1 {
            let host = host
            let port = scheme.count == 5 ? 443 : 80
            guard Authority.isSame(named.span, host.span, defaultPort: port) else {
                throw Violation(status: 400, "Host differs from the authority")
            }
        }
        return String(decoding: named, as: UTF8.self)
    }

    private static let cookieName = HTTPField.Name("cookie") ?? .cookie

    /// Takes one field line as it arrives.
    ///
    /// - Returns: whether the message is still within the limits; what exceeds them isn't kept.
    func take(_ name: Span<UInt8>, _ value: Span<UInt8>, _ limits: HTTP2Limits) -> Bool {
        listBytes += name.count + value.count + 32
        listCount += 1
        guard listBytes <= limits.headBytes, listCount <= limits.fieldCount + 5 else {
            let isFirst = excess == nil
            excess = Violation(status: 431, "the fields are too large")
            return !isFirst
        }
        // Trailers are counted and dropped: a field there never changes what was read before (RFC 9110, section 6.5.1).
        guard input == .head, limits.keepsFieldsOfSuccess || status != 200 else { return true }
        if name[0] == UInt8(ascii: ":") {
            takePseudo(name, value)
        } else if name.isSame(as: "host") {
            hostCount += 1
            host.append(value)
        } else if name.isSame(as: "cookie") {
            // Several lines are one field (RFC 9113, section 8.2.3).
            if !cookie.isEmpty { cookie += Array("; ".utf8) }
            cookie.append(value)
        } else {
            if name.isSame(as: "content-length") { length = Self.number(value) }
            if name.isSame(as: "expect"), value.isSame(as: "100-continue") { expectsContinue = true }
            if fields.count == 0 { fields = FieldLines(bytes: 256, lines: 8) }
            try? fields.append(name: name, value: value)
        }
        return true
    }

    /// Whether a header exceeds the limits by so much that nobody can have meant it.
    func isBoundless(_ limits: HTTP2Limits) -> Bool {
        listBytes > 16 * limits.headBytes || listCount > 10 * limits.fieldCount
    }

    private func takePseudo(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if name.isSame(as: ":path") {
            path.append(value)
        } else if name.isSame(as: ":method") {
            method.append(value)
        } else if name.isSame(as: ":authority") {
            authority.append(value)
        } else if name.isSame(as: ":scheme") {
            scheme.append(value)
        } else if name.isSame(as: ":status") {
            status = Self.number(value) ?? 0
        }
    }

    private static func number(_ digits: Span<UInt8>) -> Int? {
        var number = 0
        for index in digits.indices {
            guard digits[index].isDigit, number < Int.max / 100 else { return nil }
            number = number * 10 + Int(digits[index] & 0x0F)
        }
        return digits.isEmpty ? nil : number
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
