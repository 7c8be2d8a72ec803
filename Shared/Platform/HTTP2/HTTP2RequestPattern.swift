import CNghttp2
package import HTTPMessage
package import HTTPTypes

/// A request that is sent many times, and differs only in the end of its target and in the value of its last field.
///
/// The header is built once, and no text is made for a request.
package final class HTTP2RequestPattern {
    /// All names and values, one behind the other.
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    let lines: UnsafeMutableBufferPointer<nghttp2_nv>
    private let targetStart: Int
    private let targetPrefix: Int
    private let targetRoom: Int

    private static let targetLine = 3

    /// - Parameters:
    ///   - target: what all requests' targets begin with.
    ///   - targetRoom: the most bytes that may follow it.
    ///   - fields: at least one. Values of the last one have the same length in all requests.
    ///   - unique: how many of the last lines never enter HPACK's tables, because they are unique to a request or secret.
    /// - Throws: if target or authority are malformed.
    package init(
        _ method: HTTPRequest.Method, authority: String, target: String, targetRoom: Int, fields: FieldLines,
        unique: Int
    ) throws(InvalidField) {
        guard Authority.isValid(authority.utf8Span.span), RequestTarget.isOriginForm(target.utf8Span.span),
            fields.count > 0
        else { throw InvalidField() }
        // The target is the last of them, so that it has room behind it.
        let pseudo = [
            (":method", method.rawValue), (":scheme", "https"), (":authority", authority), (":path", target),
        ]
        var text: [UInt8] = []
        var places: [(name: Range<Int>, value: Range<Int>)] = []
        for (name, value) in pseudo {
            let start = text.count
            text.append(contentsOf: name.utf8)
            let middle = text.count
            text.append(contentsOf: value.utf8)
            places.append((start..<middle, middle..<text.count))
        }
        targetPrefix = target.utf8.count
        targetStart = text.count - targetPrefix
        self.targetRoom = targetRoom
        text.append(contentsOf: repeatElement(0, count: targetRoom))
        fields.forEachLine { name, value in
            let start = text.count
            name.withUnsafeBufferPointer { text.append(contentsOf: $0) }
            let middle = text.count
            value.withUnsafeBufferPointer { text.append(contentsOf: $0) }
            places.append((start..<middle, middle..<text.count))
        }
        bytes = .allocate(capacity: text.count)
        _ = bytes.initialize(from: text)
        lines = .allocate(capacity: places.count)
        let start = bytes.baseAddress
        for (index, place) in places.enumerated() {
            let flag = index >= places.count - unique ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
            lines.initializeElement(
                at: index,
                to: nghttp2_nv(
                    name: start.map { $0 + place.name.lowerBound }, value: start.map { $0 + place.value.lowerBound },
                    namelen: place.name.count, valuelen: place.value.count, flags: UInt8(flag.rawValue)))
        }
    }

    deinit {
        bytes.deallocate()
        lines.deallocate()
    }

    /// Puts in what is different in the next request.
    func fill(targetEnd: Span<UInt8>, lastValue: Span<UInt8>) throws(InvalidField) {
        let last = lines[lines.count - 1]
        guard targetEnd.count <= targetRoom, lastValue.count == last.valuelen, lastValue.isFieldValue else {
            throw InvalidField()
        }
        copy(targetEnd, to: bytes.baseAddress.map { $0 + targetStart + targetPrefix })
        copy(lastValue, to: last.value)
        let length = targetPrefix + targetEnd.count
        guard RequestTarget.isOriginForm(bytes.span.extracting(targetStart..<targetStart + length)) else {
            throw InvalidField()
        }
        lines[Self.targetLine].valuelen = length
    }

    private func copy(_ span: Span<UInt8>, to destination: UnsafeMutablePointer<UInt8>?) {
        span.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { destination?.update(from: start, count: source.count) }
        }
    }
}
