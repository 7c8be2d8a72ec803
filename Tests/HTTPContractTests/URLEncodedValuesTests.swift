import FoundationEssentials
import HTTPContract
import HTTPTypes
import Testing

@Suite struct URLEncodedValuesTests {
    @Test(
        "values survive their encoding",
        arguments: [
            [:], ["a": ""], ["a": "1", "b": "2"], ["state": "a b+c&d=e%"], ["ä": "ö 🙂"], ["url": "https://x/?y=z#f"],
        ])
    func roundTrip(values: [String: String]) throws {
        let encoded = URLEncodedValues(values).encoded
        #expect(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        #expect(try URLEncodedValues(decoding: encoded) == URLEncodedValues(values))
    }

    @Test("what browsers write is read")
    func browsers() throws {
        let values = try URLEncodedValues(decoding: "kind=TEST+code&note=&flag&umlaut=%C3%A4")
        #expect(values == ["kind": "TEST code", "note": "", "flag": "", "umlaut": "ä"])
        #expect(try URLEncodedValues(decoding: "") == [:])
    }

    @Test(
        "what is ambiguous or not encoded is malformed",
        arguments: [
            "a=1&a=2", "a=1&%61=2", "=1", "&", "a=1&", "a=1&&b=2", "a=%", "a=%4", "a=%zz", "a=%ff", "a=%c0%af", "a=%00",
            "a=%0A", "a=%0d%0aB:c", "a=%7f", "a=%c2%85", "a=ä", "a=\u{0}", "a=b c", "a=%ed%a0%80",
        ])
    func malformed(text: String) {
        #expect(throws: MalformedMessage()) { try URLEncodedValues(decoding: text) }
    }

    /// The request of a token, as RFC 6749 (4.1.3) has it.
    private struct TokenRequest: FormMessage, Equatable {
        let code: String

        init(code: String) { self.code = code }

        init(form: URLEncodedValues) throws(MalformedMessage) {
            guard let code = form["code"], form["grant_type"] == "authorization_code" else { throw MalformedMessage() }
            self.code = code
        }

        var form: URLEncodedValues { ["grant_type": "authorization_code", "code": code] }
    }

    @Test("a form message reads what it writes, and refuses what is no form")
    func formMessage() throws {
        let request = TokenRequest(code: "a+b/c")
        let encoded = request.encoded()
        #expect(String(decoding: encoded.body, as: UTF8.self) == "code=a%2Bb%2Fc&grant_type=authorization_code")
        #expect(try TokenRequest(fields: [:], body: encoded.body) == request)
        #expect(TokenRequest.mediaType == .form)
        #expect(throws: MalformedMessage()) { try TokenRequest(fields: [:], body: Data([0xFF])) }
        #expect(throws: MalformedMessage()) { try TokenRequest(fields: [:], body: Data("code=a".utf8)) }
    }
}
