import Credentials
import Foundation
import Phone
import Testing

/// The forms are those of the published apps and their tests: cwa-app-android `PcrQrCodeExtractorTest.kt`,
/// `RapidAntigenQrCodeExtractorTest.kt`, cwa-app-ios `CoronaTestsQRCodeParserTests.swift`.
@Suite("What a phone reads out of a test's QR code")
struct TestCodeTests {
    private static let guid = "123456-12345678-1234-4DA7-B166-B86D85475064"

    @Test(
        "a PCR test's code is read in any case, and the GUID is hashed as it is printed",
        arguments: ["HTTPS://LOCALHOST/?", "https://localhost/?", "https://LOCALHOST/?"],
        [guid, guid.lowercased(), "123456-12345678-1234-4dA7-b166-B86d85475064"])
    func pcr(prefix: String, guid: String) throws {
        let code = try #require(TestCode(scanned: prefix + guid))
        #expect(code.family == .pcr)
        #expect(code.hashedGUID == HashedGUID(hashing: guid))
    }

    @Test(
        "what isn't a PCR test's code is refused",
        arguments: [
            "", guid, "?\(guid)", "https://localhost/\(guid)", "https://localhost/? \(guid)",
            "http://localhost/?\(guid)",
            "HTTPS:///LOCALHOST/?\(guid)", "HTTPS://LOCALHOST//?\(guid)", "https://localhost/?",
            "https://localhost?\(guid)",
            "https://localhost/%20?\(guid)", "https://www.localhost/?\(guid)", "https://some-host.com/?\(guid)",
            "https://localhost/?\(guid)-BEEF", "https://localhost/?\(guid.dropLast(4))",
            "https://localhost/?4CD1F87D6FDA",
            "https://localhost/?\(guid)\n", " https://localhost/?\(guid)", "This is a test \u{3093}\u{97a0}",
            String(repeating: "x", count: 5000),
        ])
    func noPCR(text: String) {
        #expect(TestCode(scanned: text) == nil)
    }

    // MARK: Test centres

    /// What a test centre's software puts into its code.
    private struct Payload: Encodable {
        var timestamp: Int64? = 1_627_403_671
        var salt: String? = "D3B5FCC2D1383474F0DE696068ABB338"
        var testid: String? = "730c7077-56fd-47b8-813b-fb67895a80b9"
        var fn: String?
        var ln: String?
        var dob: String?
        var hash: String?

        /// With the hash of the other fields.
        func hashed() -> Payload {
            let isAnonymous = [fn, ln, dob].allSatisfy { ($0 ?? "").isEmpty }
            let rest = isAnonymous ? [] : [dob, fn, ln].map { $0 ?? "" }
            let end = isAnonymous ? [salt ?? ""] : [testid ?? "", salt ?? ""]
            var copy = self
            copy.hash =
                Digest(
                    sha256: (rest + ["\(timestamp ?? 0)"] + end).joined(separator: "#").utf8
                ).hex
            return copy
        }

        func base64() throws -> String { try JSONEncoder().encode(self).base64EncodedString() }
    }

    private static let person = Payload(fn: "Ada", ln: "Groß", dob: "1967-12-22")

    @Test("the hash of an anonymous code is that of the published app's own example")
    func example() throws {
        let payload = Payload().hashed()
        #expect(payload.hash == "61df099207704a072fb2a97d31687523ca50f5bb031fc58bcd325bd9a976fd68")
        let code = try #require(TestCode(scanned: "https://s.coronawarn.app?v=1#\(try payload.base64())"))
        #expect(code.family == .quick)
        let hash = try #require(payload.hash)
        #expect(code.hashedGUID == HashedGUID(hashing: hash))
    }

    @Test(
        "a test centre's code is read in each of its forms",
        arguments: [
            ("https://s.coronawarn.app?v=1#", TestFamily.quick), ("https://s.coronawarn.app/?v=1#", .quick),
            ("HTTPS://S.CORONAWARN.APP/?v=1#", .quick), ("https://p.coronawarn.app?v=1#", .pocnat),
            ("https://p.coronawarn.app/?v=1#", .pocnat),
        ])
    func centres(prefix: String, family: TestFamily) throws {
        for payload in [Payload().hashed(), Self.person.hashed(), Payload(fn: "", ln: "", dob: "").hashed()] {
            let base64 = try payload.base64()
            let url = base64.replacing("+", with: "-").replacing("/", with: "_")
            for text in [base64, url, url.replacing("=", with: "")] {
                let code = try #require(TestCode(scanned: prefix + text))
                #expect(code.family == family)
                let hash = try #require(payload.hash)
                #expect(code.hashedGUID == HashedGUID(hashing: hash))
            }
        }
    }

    @Test("a hash in capital letters is accepted, and hashed as it stands, as the apps do")
    func capitals() throws {
        var payload = Payload().hashed()
        let hash = try #require(payload.hash).uppercased()
        payload.hash = hash
        let code = try #require(TestCode(scanned: "https://s.coronawarn.app?v=1#\(try payload.base64())"))
        #expect(code.hashedGUID == HashedGUID(hashing: hash))
    }

    @Test("a person who is described in part, a wrong or missing hash, and a missing field are refused")
    func refusedPayloads() throws {
        var payloads = [
            Payload(), Payload(fn: "Ada").hashed(), Payload(fn: "Ada", ln: "", dob: "").hashed(),
            Payload(fn: "Ada", ln: "Groß", dob: "22.12.1967").hashed(), Payload(timestamp: 0).hashed(),
            Payload(timestamp: -1).hashed(), Payload(timestamp: nil).hashed(), Payload(salt: nil).hashed(),
        ]
        var other = Payload().hashed()
        other.salt = "other"
        payloads.append(other)
        other = Self.person.hashed()
        other.ln = "Klein"
        payloads.append(other)
        other = Payload().hashed()
        other.hash = "61df"
        payloads.append(other)
        for payload in payloads {
            #expect(TestCode(scanned: "https://s.coronawarn.app?v=1#\(try payload.base64())") == nil, "\(payload)")
        }
    }

    @Test(
        "what isn't a test centre's code is refused",
        arguments: [
            "https://s.coronawarn.app?v=1#", "https://s.coronawarn.app/?v=1#eyJ0aW1lc3RhbXAiOjE2",
            "https://s.coronawarn.app?v=1#//?", "https://s.coronawarn.app?v=1#e30", "https://s.coronawarn.app?v=1#%%%",
            "https://s.coronawarn.app?v=2#e30", "https://e.coronawarn.app?v=1#e30",
        ])
    func noCentre(text: String) {
        #expect(TestCode(scanned: text) == nil)
    }

    @Test("a code doesn't print itself")
    func secrecy() throws {
        let code = try #require(TestCode(scanned: "https://localhost/?\(Self.guid)"))
        #expect("\(code)" == "redacted")
    }
}
