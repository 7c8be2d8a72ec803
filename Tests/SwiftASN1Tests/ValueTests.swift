import SwiftASN1
import Testing

@Suite("Values of ASN.1's types") struct ValueTests {
    /// The encoding is the only one of its value.
    private func expectOnly<T: DERImplicitlyTaggable & Equatable>(_ value: T, _ text: String) throws {
        #expect(value.derBytes == hex(text))
        #expect(try T(derEncoded: hex(text)) == value)
    }

    private func expectRefused<T: DERImplicitlyTaggable>(
        _ type: T.Type, _ texts: [String], _ code: ASN1Error.Code = .invalidValue
    ) {
        for text in texts {
            #expect(throws: ASN1Error(code, ""), "\(text)") { try T(derEncoded: hex(text)) }
        }
    }

    @Test("integers have the fewest bytes")
    func integers() throws {
        for (value, text) in [
            (0, "020100"), (1, "020101"), (127, "02017F"), (128, "02020080"), (255, "020200FF"), (256, "02020100"),
            (-1, "0201FF"), (-128, "020180"), (-129, "0202FF7F"), (32_767, "02027FFF"), (32_768, "0203008000"),
            (Int.max, "02087FFFFFFFFFFFFFFF"), (Int.min, "02088000000000000000"),
        ] { try expectOnly(value, text) }
        expectRefused(Int.self, ["0200", "02020001", "0202007F", "0202FFFF", "0202FF80", "0209008000000000000000"])
        expectRefused(Int.self, ["040101", "0A0101", "820101"], .unexpectedElement)
    }

    @Test("integers of any length give their magnitude unless they are negative")
    func largeIntegers() throws {
        func number(_ text: String) throws -> ASN1Integer { try ASN1Integer(derEncoded: hex(text)) }
        #expect(try number("020100").magnitude == [])
        #expect(try number("02020080").magnitude == [0x80])
        #expect(try number("02027F80").magnitude == [0x7F, 0x80])
        #expect(try number("020180").magnitude == nil)
        #expect(try number("02020080").magnitude(paddedTo: 3) == [0, 0, 0x80])
        #expect(try number("02020080").magnitude(paddedTo: 1) == [0x80])
        #expect(try number("02020180").magnitude(paddedTo: 1) == nil)
        for (magnitude, text) in [
            ([], "020100"), ([0, 0], "020100"), ([0, 0x80], "02020080"), ([0x7F], "02017F"),
            ([0, 0, 1, 0], "02020100"),
        ] as [([UInt8], String)] {
            #expect(ASN1Integer(magnitude: magnitude).derBytes == hex(text))
        }
    }

    @Test("booleans are all ones or all zeros, and null is empty")
    func booleans() throws {
        try expectOnly(true, "0101FF")
        try expectOnly(false, "010100")
        expectRefused(Bool.self, ["010101", "0100", "0102FFFF"])
        try expectOnly(ASN1Null(), "0500")
        expectRefused(ASN1Null.self, ["050100"])
    }

    @Test("bit strings have no bits set that don't count")
    func bitStrings() throws {
        try expectOnly(ASN1BitString(bytes: [1, 2]), "03030001 02")
        try expectOnly(ASN1BitString(bytes: []), "030100")
        expectRefused(ASN1BitString.self, ["0300", "030101", "030107", "03020880", "0302017F", "030207C0"])
        let some = try ASN1BitString(derEncoded: hex("03020780"))
        #expect(some.paddingBits == 7 && some.bytes == [0x80])
        #expect(throws: ASN1Error(.invalidValue, "")) { try some.wholeBytes }
        #expect(try ASN1BitString(bytes: [1]).wholeBytes == [1])
    }

    @Test("bits with names end with one that is set")
    func namedBits() throws {
        for (bits, text) in [
            ([true], "03020780"), ([false, true, false], "03020640"), ([false], "030100"), ([], "030100"),
            (Array(repeating: true, count: 9), "030307FF80"), (Array(repeating: true, count: 8), "030200FF"),
        ] {
            let string = ASN1BitString(namedBits: bits)
            try expectOnly(string, text)
            #expect(try string.namedBits == Array(bits[..<((bits.lastIndex(of: true) ?? -1) + 1)]))
        }
        for text in ["03020640", "03020080", "03020100"] {
            let string = try ASN1BitString(derEncoded: hex(text))
            if text == "03020640" {
                #expect(try string.namedBits == [false, true])
            } else {
                #expect(throws: ASN1Error(.invalidValue, "")) { try string.namedBits }
            }
        }
    }

    @Test("object identifiers have numbers without leading zeros")
    func identifiers() throws {
        for (identifier, text, numbers) in [
            ([1, 2, 840, 113_549], "06062A864886F70D", "1.2.840.113549"), ([0, 0], "060100", "0.0"),
            ([2, 5, 29, 15], "0603551D0F", "2.5.29.15"), ([2, 999, 3], "0603883703", "2.999.3"),
            ([1, 39], "06014F", "1.39"), ([2, 0], "060150", "2.0"), ([2, 47], "06017F", "2.47"),
            ([2, 48], "06028100", "2.48"),
        ] as [(ASN1ObjectIdentifier, String, String)] {
            try expectOnly(identifier, text)
            #expect(identifier.description == numbers)
        }
        let largest = "060A 2A FFFFFFFFFFFFFFFF7F"
        #expect(try ASN1ObjectIdentifier(derEncoded: hex(largest)).description == "1.2.9223372036854775807")
        expectRefused(
            ASN1ObjectIdentifier.self,
            ["0600", "060180", "06022A80", "06028001", "06032A8001", "060B2AFFFFFFFFFFFFFFFFFF7F"])
    }

    @Test("times are moments of the calendar, with seconds and in UTC")
    func times() throws {
        func utc(_ text: String) throws -> UTCTime {
            try UTCTime(derEncoded: [0x17, UInt8(text.utf8.count)] + Array(text.utf8))
        }
        func general(_ text: String) throws -> GeneralizedTime {
            try GeneralizedTime(derEncoded: [0x18, UInt8(text.utf8.count)] + Array(text.utf8))
        }
        let last = try utc("491231235958Z")
        #expect((last.year, last.month, last.day) == (2049, 12, 31))
        #expect((last.hours, last.minutes, last.seconds) == (23, 59, 58))
        #expect(try utc("500101000000Z").year == 1950)
        #expect(try utc("000229000000Z").day == 29)
        for time in [
            "", "Z", "4912312359Z", "491231235959", "491231235959+0000", "491231235960Z", "491231236059Z",
            "491231245959Z", "491232235959Z", "491331235959Z", "490031235959Z", "491200235959Z", "010229000000Z",
            "20491231235959Z", "49123123595 Z", "４91231235959Z", "491231235959z", "4912312359599Z",
        ] { #expect(throws: ASN1Error(.invalidValue, ""), "\(time)") { try utc(time) } }
        let first = try general("20500102030405Z")
        #expect((first.year, first.month, first.day) == (2050, 1, 2))
        #expect((first.hours, first.minutes, first.seconds) == (3, 4, 5))
        #expect(try general("99991231235959Z").year == 9999)
        #expect(try general("20000229000000Z").month == 2)
        for time in [
            "20500101000000.5Z", "20500101000000.0Z", "205001010000Z", "20500101000000", "500101000000Z",
            "20500101000000+0000", "21000229000000Z", "20500431000000Z",
        ] { #expect(throws: ASN1Error(.invalidValue, ""), "\(time)") { try general(time) } }
    }

    @Test("elements of any type are kept, if their values are values of it")
    func any() throws {
        for text in ["0500", "0401FF", "3007 0500 0603551D0F", "A003 020105", "8000"] {
            #expect(try ASN1Any(derEncoded: hex(text)).derBytes == hex(text))
        }
        for text in ["050100", "010101", "0200", "0300", "0600", "3004 3002 0600", "A004 02020005"] {
            #expect(throws: ASN1Error(.invalidValue, ""), "\(text)") { try ASN1Any(derEncoded: hex(text)) }
        }
    }

    @Test("strings have the characters of their type")
    func strings() throws {
        func text(_ encoding: String) throws -> String { try ASN1Text(derEncoded: hex(encoding)).string }
        for (encoding, string) in [
            ("0C03E282AC", "€"), ("0C00", ""), ("1302 4445", "DE"), ("1302 2A26", "*&"), ("1203 312032", "1 2"),
            ("1601 40", "@"),
            ("1401 FC", "ü"), ("1E04 004100FC", "Aü"), ("1E02 20AC", "€"),
            ("1C04 0001F600", "😀"),
        ] { #expect(try text(encoding) == string) }
        for encoding in [
            "0C01FF", "0C02C080", "0C03EDA080", "0C04F4908080", "0C02E282", "1301 40", "1301 5F", "1201 41",
            "1601 80", "1E01 41", "1E02 D800", "1C04 00110000", "1C03 000041",
        ] { #expect(throws: ASN1Error(.invalidValue, ""), "\(encoding)") { try text(encoding) } }
        for encoding in ["0401 41", "1A01 41", "020105", "3000", "2C03 0C0141"] {
            #expect(throws: ASN1Error.self) { try text(encoding) }
        }
        #expect(try ASN1Text(printable: "DE").derBytes == hex("13024445"))
        #expect(throws: ASN1Error(.invalidValue, "")) { try ASN1Text(printable: "ü") }
        #expect(throws: ASN1Error(.invalidValue, "")) { try ASN1Text(printable: "a@b") }
        #expect(try ASN1Text(ia5: "a@b").derBytes == hex("1603614062"))
        #expect(throws: ASN1Error(.invalidValue, "")) { try ASN1Text(ia5: "ü") }
        #expect(ASN1Text(utf8: "ü").derBytes == hex("0C02C3BC"))
    }
}
