import SwiftASN1
import Testing
import X509

@Suite("Names in certificates") struct NameTests {
    @Test("a name has its parts in the order of the closure, each of its own type of string")
    func builder() throws {
        let country: String? = "DE"
        let name = try DistinguishedName {
            if let country { CountryName(country) }
            OrganizationName("Amt für Beispiele")
            OrganizationalUnitName("Wache")
            CommonName("DE signing")
            EmailAddress("wache@example.org")
        }
        #expect(
            name.derBytes
                == element(
                    .sequence, hex("310B 3009 0603550406 1302 4445"),
                    element(.set, element(.sequence, hex("060355040A"), [0x0C, 18] + Array("Amt für Beispiele".utf8))),
                    hex("310E 300C 060355040B 0C05 5761636865"),
                    element(.set, element(.sequence, hex("0603550403"), [0x0C, 10] + Array("DE signing".utf8))),
                    element(
                        .set,
                        element(
                            .sequence, hex("06092A864886F70D010901"), [0x16, 17] + Array("wache@example.org".utf8)))))
        #expect(try DistinguishedName(derEncoded: name.derBytes) == name)
        #expect(name.first?.first?.type == .RDNAttributeType.countryName)
        #expect(name.first?.first.flatMap { String($0.value) } == "DE")
        #expect(
            "\(name)"
                == "1.2.840.113549.1.9.1=wache@example.org,CN=DE signing,OU=Wache,O=Amt für Beispiele,C=DE")
        #expect(try DistinguishedName { if let none = nil as String? { CountryName(none) } }.isEmpty)
    }

    @Test("a text that its type can't hold is refused")
    func texts() {
        #expect(throws: ASN1Error(.invalidValue, "")) { try DistinguishedName { CountryName("ÄÖ") } }
        #expect(throws: ASN1Error(.invalidValue, "")) {
            try DistinguishedName {
                CommonName("a")
                EmailAddress("ä@example.org")
            }
        }
    }

    @Test("names are the same if their strings have the same type and bytes")
    func equality() throws {
        func name(_ text: String) throws -> DistinguishedName { try DistinguishedName(derEncoded: hex(text)) }
        let utf8 = "300C 310A 3008 0603550403 0C0161"
        #expect(try name(utf8) == DistinguishedName { CommonName("a") })
        for other in [
            "300C 310A 3008 0603550403 130161", "300C 310A 3008 0603550403 0C0141", "300C 310A 3008 060355040A 0C0161",
            "3018 310A 3008 0603550403 0C0161 310A 3008 0603550403 0C0161", "3000",
        ] { #expect(try name(other) != name(utf8)) }
    }

    @Test(
        "a name's text shows where its parts end",
        arguments: [
            ("a,b", "a\\,b"), ("a+b", "a\\+b"), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("<a>;", "\\<a\\>\\;"),
            ("#a", "\\#a"), ("a#", "a#"), (" a ", "\\ a\\ "), (" ", "\\ "), ("a b", "a b"), ("", ""),
            ("a\nb", "a\\0ab"), ("\u{85}", "\\c2\\85"), ("ü€😀", "ü€😀"), ("a=b", "a=b"),
        ])
    func description(_ text: String, _ escaped: String) throws {
        #expect(try "\(DistinguishedName { CommonName(text) })" == "CN=\(escaped)")
    }

    @Test("several attributes of one level are joined by a plus, and bits are written in digits")
    func levels() throws {
        let two = try DistinguishedName(derEncoded: hex("3016 3114 3008 0603550403 0C0161 3008 060355040A 0C0162"))
        #expect("\(two)" == "CN=a+O=b" && two.count == 1 && two[0].count == 2)
        let bits = try DistinguishedName(derEncoded: hex("300D 310B 3009 060355042D 0302 0780"))
        #expect("\(bits)" == "2.5.4.45=#03020780")
        #expect(bits.first?.first.flatMap { String($0.value) } == nil)
    }
}
