import AppAttest
import Foundation
import TestSupport
import Testing

/// The strict reader, and the writer of the only form that it reads.
@Suite struct CBORTests {
    /// Diagnostic notation of RFC 8949, section 8, and the bytes of its appendix A where it has them.
    static let good: [(text: String, hex: String)] = [
        ("0", "00"), ("23", "17"), ("24", "1818"), ("255", "18ff"), ("256", "190100"), ("65535", "19ffff"),
        ("65536", "1a00010000"), ("4294967295", "1affffffff"), ("4294967296", "1b0000000100000000"),
        ("18446744073709551615", "1bffffffffffffffff"), ("-1", "20"), ("-24", "37"), ("-25", "3818"),
        ("-1000", "3903e7"),
        ("-18446744073709551616", "3bffffffffffffffff"), ("h''", "40"), ("h'01020304'", "4401020304"), ("\"\"", "60"),
        ("\"IETF\"", "6449455446"), ("\"ü\"", "62c3bc"), ("[]", "80"), ("[1, [2, 3], [4, 5]]", "8301820203820405"),
        ("{}", "a0"), ("{1: 2, 3: 4}", "a201020304"), ("{\"a\": 1, \"b\": [2, 3]}", "a26161016162820203"),
        ("keys in any order", "a203040102"), ("keys of other kinds", "a2410101610101"),
        ("four items deep", "81818100"), ("keys that only look alike", "a262c3bc006375cc8801"),
    ]

    static let bad: [(text: String, hex: String)] = [
        ("nothing", ""), ("two items", "0000"), ("a rest", "a000"), ("a long head of one byte", "1817"),
        ("a long head of two bytes", "1900ff"), ("a long head of four bytes", "1a0000ffff"),
        ("a long head of eight bytes", "1b00000000ffffffff"), ("a long length", "580101"), ("a long count", "980100"),
        ("a head that is cut off", "19ff"), ("bytes that are cut off", "4401"), ("text that is cut off", "6461"),
        ("an array that is cut off", "8200"), ("a map that is cut off", "a101"),
        ("a map without its last value", "a201026161"),
        ("bytes of indefinite length", "5f4101ff"), ("text of indefinite length", "7f6161ff"),
        ("an array of indefinite length", "9f00ff"), ("a map of indefinite length", "bf0000ff"), ("a break", "ff"),
        ("reserved heads", "1c"), ("reserved heads in an array", "811d"), ("a tag", "c000"), ("a long tag", "d8184100"),
        ("half a float", "f90000"), ("a float", "fa00000000"), ("a double", "fb0000000000000000"), ("false", "f4"),
        ("null", "f6"), ("undefined", "f7"), ("a simple value", "f818"),
        ("an array of 2^32 items", "9b0000000100000000"),
        ("an array of 2^64-1 items", "9bffffffffffffffff"), ("a map of 2^32 pairs", "bb0000000100000000"),
        ("a map of 2^63 pairs", "bb8000000000000000"), ("bytes of 2^32", "5b0000000100000000"),
        ("bytes of 2^64-1", "5bffffffffffffffff"), ("text of 2^63", "7b8000000000000000"),
        ("more items than bytes", "830000"), ("more pairs than pairs of bytes", "a2000001"),
        ("five items deep", "8181818100"),
        ("maps five deep", "a100a100a100a100a0"), ("a key twice", "a201000101"),
        ("a text twice", "a2616100616101"), ("a key twice, others between", "a3010002000100"),
        ("a key twice in an inner map", "81a201000101"), ("an overlong letter", "62c0af"), ("half a letter", "61c3"),
        ("a surrogate", "63eda080"),
    ]

    @Test(arguments: good.map(\.hex)) func `a good item is read, and written the same`(_ hex: String) throws {
        #expect(try #require(CBORItem(bytes(hex))).encoded == bytes(hex))
    }

    @Test(arguments: bad.map(\.text)) func `what is no strict item is refused`(_ text: String) throws {
        let hex = try #require(Self.bad.first { $0.text == text }).hex
        #expect(CBORItem(bytes(hex)) == nil)
    }

    @Test(arguments: good.map(\.hex)) func `an item is read from the beginning`(_ hex: String) throws {
        let rest = (0..<3).map { UInt8($0 * 100) }
        // A slice that doesn't begin at 0.
        let (item, count) = try #require(CBORItem.first(in: ([7, 7] + bytes(hex) + rest).dropFirst(2)))
        #expect(count == bytes(hex).count)
        #expect(item.encoded == bytes(hex))
    }

    @Test(arguments: good.map(\.hex)) func `an item that is cut off anywhere is refused`(_ hex: String) {
        for end in bytes(hex).indices { #expect(CBORItem(bytes(hex)[..<end]) == nil) }
    }

    @Test(.heavy) func `random items are read as they were written`() throws {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<5000 {
            let item = Self.randomItem(depth: 1, using: &random)
            let encoded = item.encoded
            let read = try #require(CBORItem(encoded))
            try #require(read.encoded == encoded)
            try #require(String(describing: read) == String(describing: item))
            #expect(CBORItem(encoded + [0]) == nil)
            #expect(CBORItem(encoded.dropLast()) == nil)
        }
    }

    @Test(.heavy) func `random bytes are refused, or are what is written`() {
        var random = SeededGenerator(seed: 23)
        var read = 0
        for _ in 0..<200_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let item = CBORItem(bytes) else { continue }
            read += 1
            #expect(item.encoded == bytes)
        }
        #expect(read > 1000)
    }

    private static let numbers: [UInt64] = [
        0, 1, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max,
    ]

    /// Keys of a map are numbered, so that none comes twice.
    private static func randomItem(depth: Int, using random: inout SeededGenerator) -> CBORItem {
        let number = numbers.randomElement(using: &random) ?? 0
        let count = Int.random(in: 0...5, using: &random)
        switch Int.random(in: 0...(depth < CBORItem.deepest ? 5 : 3), using: &random) {
        case 0: return .unsigned(Bool.random(using: &random) ? number : .random(in: 0...(.max), using: &random))
        case 1: return .negative(number)
        case 2:
            let length = [0, 1, 23, 24, 255, 256, 300].randomElement(using: &random) ?? 0
            return .bytes((0..<length).map { _ in .random(in: 0...255, using: &random) })
        case 3:
            let letters = ["a", "ü", "u\u{308}", "€", "😷", "\u{0}", "\""]
            let length = [0, 1, 5, 23, 24, 100].randomElement(using: &random) ?? 0
            return .text((0..<length).compactMap { _ in letters.randomElement(using: &random) }.joined())
        case 4: return .array((0..<count).map { _ in randomItem(depth: depth + 1, using: &random) })
        default:
            return .map(
                (0..<count).map { key in
                    (
                        Bool.random(using: &random) ? .unsigned(UInt64(key)) : .text("key \(key)"),
                        randomItem(depth: depth + 1, using: &random)
                    )
                })
        }
    }
}

/// Of pairs of hexadecimal digits.
func bytes(_ hex: String) -> [UInt8] {
    var rest = hex[...]
    var bytes: [UInt8] = []
    while !rest.isEmpty {
        bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
    }
    return bytes
}
