import SwiftASN1
import Testing

@Suite("The form of elements") struct ElementTests {
    /// What both rules refuse.
    static let malformed: [(name: String, hex: String, code: ASN1Error.Code)] = [
        ("nothing", "", .malformedElement), ("a tag alone", "02", .malformedElement),
        ("a content that is cut off", "0202 01", .malformedElement),
        ("a length that is cut off", "0282 01", .malformedElement),
        ("a byte after the element", "020105 00", .trailingData),
        ("two elements", "020105 020105", .trailingData),
        ("an inner element that leaves the outer one", "3003 020201", .malformedElement),
        ("a rest in a sequence that is no element", "3004 020105 02", .malformedElement),
        ("the end of contents as an element", "0000", .malformedElement),
        ("the end of contents in a definite length", "3002 0000", .malformedElement),
        ("the reserved length FF", "02FF 01", .malformedElement),
        ("a length of 2^63", "0488 8000000000000000", .malformedElement),
        ("a length of 2^64 - 1", "0488 FFFFFFFFFFFFFFFF", .malformedElement),
        ("a length of 2^32", "0485 0100000000", .malformedElement),
        ("a primitive sequence", "1000", .malformedElement), ("a primitive set", "1100", .malformedElement),
        ("a low tag in the high form", "9F1E 00", .malformedElement),
        ("a high tag with a leading zero", "9F801F 00", .malformedElement),
        ("a high tag that is cut off", "9FFF", .malformedElement),
        ("a high tag of 35 bits", "9FFFFFFFFF7F 00", .malformedElement),
        ("an indefinite length of a primitive", "0480 0000", .malformedElement),
    ]

    @Test("what isn't one element is refused by both rules", arguments: malformed)
    func refused(_ row: (name: String, hex: String, code: ASN1Error.Code)) {
        #expect(throws: ASN1Error(row.code, "")) { try DER.parse(hex(row.hex)) }
        #expect(throws: ASN1Error(row.code, "")) { try BER.parse(hex(row.hex)) }
    }

    @Test(
        "what DER forbids, BER reads",
        arguments: [
            "3080 020105 0000", "3080 0000", "3080 3080 020105 0000 0000", "028101 05", "02820001 05", "2403 040101",
            "A080 0500 0000", "0491 0000000000000000000000000000000001 00",
        ])
    func berOnly(_ text: String) throws {
        #expect(throws: ASN1Error(.malformedElement, "")) { try DER.parse(hex(text)) }
        #expect(try BER.parse(hex(text)).encodedBytes == hex(text)[...])
    }

    @Test(
        "DER's own form of a length is read, and written the same way",
        arguments: [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000])
    func lengths(_ count: Int) throws {
        let value = ASN1OctetString(contentBytes: [UInt8](repeating: 7, count: count)[...])
        let bytes = value.derBytes
        #expect(try ASN1OctetString(derEncoded: bytes) == value)
        let header = bytes.count - count
        #expect(header == (count < 0x80 ? 2 : count < 0x100 ? 3 : count < 0x10000 ? 4 : 5))
    }

    @Test("tags of every class and number are read as they were written", arguments: [0, 1, 30, 31, 127, 128, 1 << 27])
    func tags(_ number: UInt) throws {
        for tagClass in [ASN1Identifier.TagClass.application, .contextSpecific, .private] {
            let identifier = ASN1Identifier(tagWithNumber: number, tagClass: tagClass)
            var writer = DER.Serializer()
            writer.appendPrimitiveNode(identifier: identifier, [1])
            let node = try DER.parse(writer.serializedBytes)
            #expect(node.identifier == identifier && node.content == .primitive([1]))
        }
    }

    @Test("elements stand in each other to a limit")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            (0..<levels).reduce([5, 0]) { inner, _ in [0x30, 0x82, 0, 0].prefix(1) + length(inner.count) + inner }
        }
        func length(_ count: Int) -> [UInt8] { count < 0x80 ? [UInt8(count)] : [0x81, UInt8(count)] }
        #expect(throws: Never.self) { try DER.parse(nested(DER.deepest)) }
        #expect(throws: ASN1Error(.tooDeep, "")) { try DER.parse(nested(DER.deepest + 1)) }
        let indefinite = [[UInt8]](repeating: [0x30, 0x80], count: 3000).flatMap { $0 }
        #expect(throws: ASN1Error(.tooDeep, "")) { try BER.parse(indefinite) }
        #expect(throws: ASN1Error(.malformedElement, "")) { try DER.parse(indefinite) }
    }

    @Test("the elements of a sequence come in their order, and none may be left")
    func sequence() throws {
        let node = try DER.parse(hex("3009 020101 020102 020103"))
        let all = try DER.sequence(node, identifier: .sequence) { nodes in
            try [Int(derEncoded: &nodes), Int(derEncoded: &nodes), Int(derEncoded: &nodes)]
        }
        #expect(all == [1, 2, 3])
        #expect(throws: ASN1Error(.trailingData, "")) {
            try DER.sequence(node, identifier: .sequence) { _ = try Int(derEncoded: &$0) }
        }
        #expect(throws: ASN1Error(.missingElement, "")) {
            try DER.sequence(node, identifier: .sequence) { nodes in
                for _ in 0..<4 { _ = try Int(derEncoded: &nodes) }
            }
        }
        #expect(throws: ASN1Error(.unexpectedElement, "")) { try DER.sequence(node, identifier: .set) { _ in } }
        #expect(try DER.sequence(of: Int.self, identifier: .sequence, rootNode: node) == [1, 2, 3])
        let empty = try DER.parse([0x30, 0])
        #expect(throws: ASN1Error(.missingElement, "")) {
            try DER.sequence(of: Int.self, identifier: .sequence, rootNode: empty)
        }
    }

    @Test("the elements of a set are sorted, and none stands there twice")
    func set() throws {
        func values(_ text: String) throws -> [Int] {
            try DER.set(of: Int.self, identifier: .set, rootNode: DER.parse(hex(text)))
        }
        #expect(try values("3106 020101 020102") == [1, 2])
        #expect(throws: ASN1Error(.invalidValue, "")) { try values("3106 020102 020101") }
        #expect(throws: ASN1Error(.invalidValue, "")) { try values("3106 020101 020101") }
        var writer = DER.Serializer()
        writer.serializeSetOf([300, 2, 1])
        #expect(writer.serializedBytes == hex("310A 020101 020102 0202012C"))
    }

    @Test("tagged elements are found by their tag, and hold one element if the tag is explicit")
    func tagged() throws {
        func read(_ text: String) throws -> (Int?, Int?) {
            try DER.sequence(DER.parse(hex(text)), identifier: .sequence) { nodes in
                (
                    try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                        try Int(derEncoded: $0)
                    },
                    try DER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) {
                        try Int(derEncoded: $0, withIdentifier: .context(1))
                    }
                )
            }
        }
        #expect(try read("3000") == (nil, nil))
        #expect(try read("3005 A003020105") == (5, nil))
        #expect(try read("3003 810107") == (nil, 7))
        #expect(try read("3008 A003020105 810107") == (5, 7))
        for wrong in ["3002 A000", "3008 A006020105020105", "3008 810107 A003020105", "3003 A10107", "3003 800107"] {
            #expect(throws: ASN1Error.self) { try read(wrong) }
        }
        let node = try DER.parse(hex("3003 810107"))
        #expect(throws: ASN1Error(.unexpectedElement, "")) {
            try DER.sequence(node, identifier: .sequence) {
                try DER.explicitlyTagged(&$0, tagNumber: 0, tagClass: .contextSpecific) { _ in }
            }
        }
    }

    @Test("a default value isn't written out")
    func defaults() throws {
        func read(_ text: String) throws -> Bool {
            try DER.sequence(DER.parse(hex(text)), identifier: .sequence) { try DER.decodeDefault(&$0, false) }
        }
        #expect(try read("3000") == false)
        #expect(try read("3003 0101FF") == true)
        #expect(throws: ASN1Error(.invalidValue, "")) { try read("3003 010100") }
    }

    @Test("what was read as BER is written with definite lengths")
    func rewritten() throws {
        let node = try BER.parse(hex("3080 A080 02820001 05 0000 0401 07 0000"))
        var writer = DER.Serializer()
        writer.serialize(node)
        #expect(writer.serializedBytes == hex("3008 A003020105 040107"))
        #expect(throws: Never.self) { try DER.parse(writer.serializedBytes) }
    }

    @Test("an octet string in pieces is put together, in BER alone")
    func pieces() throws {
        for text in ["2480 040101 2403 040102 0000", "2408 040101 2403 040102", "0402 0102"] {
            #expect(try ASN1OctetString(berEncoded: BER.parse(hex(text))).bytes == [1, 2])
        }
        for text in ["2403 020101", "2403 030101", "3000"] {
            #expect(throws: ASN1Error(.unexpectedElement, "")) {
                try ASN1OctetString(berEncoded: BER.parse(hex(text)))
            }
        }
        // Numbers have no pieces.
        #expect(throws: ASN1Error(.unexpectedElement, "")) { try Int(derEncoded: BER.parse(hex("2203 020101"))) }
    }

    @Test("an error shows nothing of the bytes")
    func discreet() {
        let secret = ASN1OctetString(contentBytes: Array("secret".utf8)[...])
        let error = #expect(throws: ASN1Error.self) { try Int(derEncoded: secret.derBytes) }
        #expect(error.map { "\($0)" } == "unexpectedElement: INTEGER")
    }
}
