import HTTPMessage
import HTTPTypes

@testable import HTTP2

/// RFC 7541: HPACK.
extension Rule {
    /// A request's block, and what follows in it.
    static func tail(_ title: String, _ bytes: [UInt8], reports: [String] = []) -> Case {
        Case(title, head(1, block(request()) + bytes), reports: reports)
    }

    /// A block that begins so.
    static func start(_ title: String, _ bytes: [UInt8], reports: [String] = []) -> Case {
        Case(title, head(1, bytes + block(request())), reports: reports)
    }

    /// A field with a large value, which fills the table.
    static func large(_ count: Int) -> [UInt8] {
        let rest = count - 127
        return [0x40, 1, 97, 127, UInt8(rest & 127 | 128), UInt8(rest >> 7)] + [UInt8](repeating: 98, count: count)
    }

    static let compression: [Rule] = [
        Rule(
            "RFC 7541 2.3.2", "the table may have an entry twice", .answered(201),
            [
                Case(
                    "and both are found", head(1, block(request()) + indexed + indexed),
                    head(3, block(request()) + [0xBE, 0xBF]), on: 3
                ) { stage in
                    let values = stage.requests[3]?.fields.values(name("x-state")) ?? []
                    return values == ["kept", "kept"] ? nil : "the values are \(values)"
                }
            ]),
        Rule(
            "RFC 7541 2.3.3", "an index above both tables is an error", .goAway(.compressionError),
            [
                tail("62, while the dynamic table is empty", [0xBE]), tail("126", [0xFE]),
                tail("of a name", [0x7E, 1, 120]), tail("of a name, without indexing", [0x0F, 0x7F, 1, 120]),
                tail("2^31", [0xFF, 0x81, 0xFF, 0xFF, 0xFF, 0x07], reports: ["CVE-2018-14645"]),
                Case(
                    "of an entry that was evicted", head(1, block(request()) + indexed + large(4050)),
                    head(3, block(request()) + [0xBF]), on: 3),
                Case(
                    "of an entry that was lost with a smaller table", head(1, block(request()) + indexed),
                    head(3, [0x20] + block(request()) + reference), on: 3),
            ]),
        Rule(
            "RFC 7541 4.2", "a size is said at the beginning of a block", .goAway(.compressionError),
            [tail("at its end", [0x20]), Case("within", head(1, block(request()) + [0x20] + indexed))]),
        Rule(
            "RFC 7541 4.2", "a size is said twice at most", .answered(201), level: .may,
            [
                start("twice", [0x20, 0x3F, 0xE1, 0x1F]),
                start("the same again and again", [UInt8](repeating: 0x20, count: 40)),
            ]),
        Rule(
            "RFC 7541 4.3", "a smaller table loses its oldest entries", .answered(201),
            [
                Case(
                    "and keeps the others", head(1, block(request()) + indexed),
                    head(3, [0x3F, 0xE1, 0x0F] + block(request()) + reference), on: 3, look: keeps(3))
            ]),
        Rule(
            "RFC 7541 4.4", "an entry larger than the table empties it, and is no error", .answered(201),
            [
                Case("alone", head(1, block(request()) + large(5000)), get(3), on: 3),
                Case(
                    "into a table of nothing", head(1, [0x20] + block(request()) + indexed), get(3), on: 3,
                    reports: ["CVE-2020-11100"]),
                Case(
                    "whose name is that of the entry which it evicts",
                    head(1, block(request()) + indexed),
                    head(3, block(request()) + [0x7E, 127, 0x81, 0x1E] + [UInt8](repeating: 98, count: 3968)),
                    on: 3, reports: ["CVE-2020-11100"]),
            ]),
        Rule(
            "RFC 7541 5.1", "an integer over our limit is an error", .goAway(.compressionError),
            [
                tail(
                    "an index of 10 bytes", [0xFF, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
                    reports: ["CVE-2022-24667"]),
                tail(
                    "an index that never ends", [0xFF] + [UInt8](repeating: 0xFF, count: 200),
                    reports: ["CVE-2023-33953"]),
                tail(
                    "an index of zeros that never ends", [0xFF] + [UInt8](repeating: 0x80, count: 200),
                    reports: ["CVE-2023-33953"]),
                tail(
                    "a name's length of 2^32", [0x40, 0x7F, 0x81, 0xFF, 0xFF, 0xFF, 0x0F],
                    reports: ["CVE-2022-24667", "CVE-2023-36478"]),
                tail(
                    "a value's length of 2^63",
                    [0x40, 1, 120, 0x7F, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
                    reports: ["CVE-2023-36478"]),
                tail(
                    "a length above all that is there, of Huffman code",
                    [0x40, 1, 120, 0xFF, 0x80, 0x80, 0x80, 0x80, 0x08], reports: ["CVE-2023-36478"]),
                start("a table's size of 2^32", [0x3F, 0xE1, 0xFF, 0xFF, 0xFF, 0x0F]),
            ]),
        Rule(
            "RFC 7541 5.1", "an integer may be longer than it must", .answered(201), level: .may,
            [
                tail(
                    "a length with a zero more",
                    [0x40, 0x01, 120, 0x7F, 0x80, 0x00] + [UInt8](repeating: 98, count: 127))
            ]),
        Rule(
            "RFC 7541 5.2", "Huffman code doesn't have EOS", .goAway(.compressionError),
            [
                tail("as a whole value", [0x00, 1, 120, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
                tail("behind a letter", [0x00, 1, 120, 0x85, 0x1F, 0xFF, 0xFF, 0xFF, 0xFF]),
                tail("in a name", [0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 1, 120]),
            ]),
        Rule(
            "RFC 7541 5.2", "padding of Huffman code has seven bits at most", .goAway(.compressionError),
            [
                tail("eight, behind a letter of five bits", [0x00, 1, 120, 0x82, 0x1F, 0xFF]),
                tail("eight, alone", [0x00, 1, 120, 0x81, 0xFF]),
            ]),
        Rule(
            "RFC 7541 5.2", "padding of Huffman code has the bits of EOS", .goAway(.compressionError),
            [
                tail("zeros", [0x00, 1, 120, 0x81, 0x18]),
                tail("one zero", [0x00, 1, 120, 0x81, 0x1E]),
            ]),
        Rule(
            "RFC 7541 5.2", "Huffman code is read", .answered(201),
            [
                Case("the letter a", head(1, block(request()) + [0x00, 1, 120, 0x81, 0x1F])) { stage in
                    let values = stage.requests[1]?.fields.values(name("x")) ?? []
                    return values == ["a"] ? nil : "the values are \(values)"
                }
            ]),
        Rule(
            "RFC 7541 6.1", "index 0 isn't used", .goAway(.compressionError),
            [Case("alone", head(1, [0x80])), tail("at the end", [0x80])]),
        Rule(
            "RFC 7541 6.2", "all kinds of literals are read", .answered(201),
            [
                Case(
                    "with an indexed name and without, indexed, not indexed and never indexed",
                    head(
                        1,
                        [0x83, 0x87, 0x41, 1, 97, 0x04, 2, 47, 97]
                            + [0x40, 1, 120, 1, 121, 0x00, 1, 120, 1, 122, 0x10, 1, 120, 1, 119, 0x1F, 0x2F, 1, 118])),
                Case("a method by its index", head(1, [0x82, 0x87, 0x84, 0x41, 1, 97])),
            ]),
        Rule(
            "RFC 7541 6.3", "a size above the limit is an error", .goAway(.compressionError),
            [
                start("4,097", [0x3F, 0xE2, 0x1F]), start("2^24", [0x3F, 0xE1, 0xFF, 0xFF, 0x07]),
                start("behind one that is allowed", [0x20, 0x3F, 0xE2, 0x1F]),
            ]),
        Rule(
            "RFC 7541 6.3", "a size up to the limit is taken", .answered(201),
            [start("4,096", [0x3F, 0xE1, 0x1F]), start("0", [0x20]), start("1", [0x21])]),
    ]
}
