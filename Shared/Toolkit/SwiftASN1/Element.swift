/// Where an element and its content stand in a buffer, found by its header.
///
/// `end` is behind the element, which is more than `content.upperBound` if its length is indefinite.
struct Element {
    let identifier: ASN1Identifier
    let isConstructed: Bool
    let content: Range<Int>
    let end: Int
}

/// The two sets of rules (X.690).
enum EncodingRules: Hashable, Sendable {
    case ber
    case der

    /// Reads the element at `start`.
    /// - Parameters:
    ///   - limit: the end of what surrounds it.
    ///   - depth: levels that may stand in it.
    ///   - isChecked: the elements in it have been read before, so they are skipped where its length allows.
    func element(
        in bytes: ArraySlice<UInt8>, at start: Int, before limit: Int, depth: Int, isChecked: Bool = false
    ) throws(ASN1Error) -> Element {
        guard depth >= 0 else { throw ASN1Error(.tooDeep, "element") }
        var position = start
        let (identifier, isConstructed) = try tag(in: bytes, at: &position, before: limit)
        guard let length = try length(in: bytes, at: &position, before: limit) else {
            guard isConstructed else { throw ASN1Error(.malformedElement, "indefinite length of a primitive") }
            let first = position
            while true {
                guard limit - position >= 2 else { throw ASN1Error(.malformedElement, "end of contents") }
                if bytes[position] == 0, bytes[position + 1] == 0 { break }
                position = try element(
                    in: bytes, at: position, before: limit, depth: depth - 1, isChecked: isChecked
                ).end
            }
            return Element(
                identifier: identifier, isConstructed: true, content: first..<position, end: position + 2)
        }
        let end = position + length
        if isConstructed, !isChecked {
            var inner = position
            while inner < end { inner = try element(in: bytes, at: inner, before: end, depth: depth - 1).end }
        }
        return Element(identifier: identifier, isConstructed: isConstructed, content: position..<end, end: end)
    }

    /// X.690, section 8.1.2.
    private func tag(
        in bytes: ArraySlice<UInt8>, at position: inout Int, before limit: Int
    ) throws(ASN1Error) -> (ASN1Identifier, isConstructed: Bool) {
        let first = try Self.byte(in: bytes, at: &position, before: limit)
        guard let tagClass = ASN1Identifier.TagClass(rawValue: first & 0xC0) else {
            throw ASN1Error(.malformedElement, "tag")
        }
        let isConstructed = first & 0x20 != 0
        var number = UInt(first & 0x1F)
        if number == 0x1F {
            number = 0
            var next: UInt8
            repeat {
                next = try Self.byte(in: bytes, at: &position, before: limit)
                // No leading zeros, and no more than the 28 bits that nobody needs.
                guard number != 0 || next != 0x80, number < 1 << 21 else { throw ASN1Error(.malformedElement, "tag") }
                number = number << 7 | UInt(next & 0x7F)
            } while next & 0x80 != 0
            guard number >= 0x1F else { throw ASN1Error(.malformedElement, "tag") }
        }
        let identifier = ASN1Identifier(tagWithNumber: number, tagClass: tagClass)
        if tagClass == .universal {
            // 0 is the end of contents, which is no element.
            guard number != 0, self == .ber || isConstructed == identifier.isConstructedInDER,
                isConstructed || (identifier != .sequence && identifier != .set)
            else { throw ASN1Error(.malformedElement, "tag") }
        }
        return (identifier, isConstructed)
    }

    /// X.690, sections 8.1.3 and 10.1; nil for the indefinite form.
    private func length(
        in bytes: ArraySlice<UInt8>, at position: inout Int, before limit: Int
    ) throws(ASN1Error) -> Int? {
        let first = try Self.byte(in: bytes, at: &position, before: limit)
        var length = Int(first)
        if first == 0x80 {
            guard self == .ber else { throw ASN1Error(.malformedElement, "length") }
            return nil
        }
        if first > 0x80 {
            let count = first & 0x7F
            guard count != 0x7F else { throw ASN1Error(.malformedElement, "length") }
            length = 0
            for _ in 0..<count {
                guard length < 1 << 40 else { throw ASN1Error(.malformedElement, "length") }
                length = length << 8 | Int(try Self.byte(in: bytes, at: &position, before: limit))
            }
            guard self == .ber || length >= 0x80 && length >> (8 * (Int(count) - 1)) != 0 else {
                throw ASN1Error(.malformedElement, "length")
            }
        }
        guard length <= limit - position else { throw ASN1Error(.malformedElement, "length") }
        return length
    }

    private static func byte(
        in bytes: ArraySlice<UInt8>, at position: inout Int, before limit: Int
    ) throws(ASN1Error) -> UInt8 {
        guard position < limit else { throw ASN1Error(.malformedElement, "cut off") }
        defer { position += 1 }
        return bytes[position]
    }
}
