import CompactJOSE
import Foundation
import TestSupport
import Testing

/// Tokens as text. Nothing here is verified.
@Suite struct CompactTokenTests {
    /// RFC 7515, appendix A.3.
    private static let rfc7515 =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
        + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    /// RFC 7516, appendix A.1.
    private static let rfc7516 =
        "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ."
        + "OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZKTyKOMTYUmKoTCVJRgckCL9kiMT03JGeipsEdY3mx_etLbbWSrFr05kLzcSr4qKAq7YN7e9jwQRb23nfa6c9d-StnImGyFDbSv04uVuxIp5Zms1gNxKKK2Da14B8S4rzVRltdYwam_lDp5XnZAYpQdb76FdIKLaVmqgfwX7XWRxv2322i-vDxRfqNzo_tETKzpVLzfiwQyeyPGLBIO56YJ7eObdv0je81860ppamavo35UgoRdbYaBcoh9QcfylQr66oc6vFWXRcZ_ZT2LawVCWTIy3brGPi6UklfCpIMfIjf7iGdXKHzg."
        + "48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.XFBoMYUZodetZdvTiFvSkQ"

    @Test func `the RFC's signed token is read`() throws {
        let token = try #require(CompactJWS(Self.rfc7515, longest: 1000))
        #expect(token.header.algorithm == "ES256")
        #expect(token.header.encryption == nil)
        #expect(token.header.certificates == [])
        #expect(String(decoding: token.payload, as: UTF8.self).hasPrefix("{\"iss\":\"joe\",\r\n"))
        #expect(token.signature.prefix(4) == [14, 209, 33, 83])
        #expect(token.signature.count == 64)
        #expect(token.signedBytes == Array(Self.rfc7515.utf8.prefix(115)))
    }

    @Test func `the RFC's encrypted token is read`() throws {
        let token = try #require(CompactToken(Self.rfc7516, parts: 5, longest: 1000))
        #expect(token.header.algorithm == "RSA-OAEP")
        #expect(token.header.encryption == "A256GCM")
        #expect(token.parts.map(\.count) == [256, 12, 63, 16])
        #expect(token.parts[1] == [227, 197, 117, 252, 2, 219, 233, 68, 180, 225, 77, 219])
        #expect(String(decoding: token.encodedHeader, as: UTF8.self) == Self.rfc7516.split(separator: ".")[0])
    }

    @Test func `a token may be as long as the limit, and no longer`() {
        let count = Self.rfc7515.utf8.count
        #expect(CompactJWS(Self.rfc7515, longest: count) != nil)
        #expect(CompactJWS(Self.rfc7515, longest: count - 1) == nil)
        #expect(CompactToken(Self.rfc7516, parts: 5, longest: Self.rfc7516.utf8.count - 1) == nil)
    }

    @Test func `another number of parts is refused`() {
        for count in [0, 1, 2, 4, 5, 6] { #expect(CompactToken(Self.rfc7515, parts: count, longest: 1000) == nil) }
        for text in ["", ".", "..", "\(Self.rfc7515).", ".\(Self.rfc7515)"] {
            #expect(CompactJWS(text, longest: 1000) == nil)
        }
        #expect(CompactToken(String(repeating: ".", count: 1000), parts: 5, longest: 1000) == nil)
    }

    @Test func `a part that isn't strict Base64url is refused`() {
        let parts = Self.rfc7515.split(separator: ".").map(String.init)
        for place in parts.indices {
            for wrong in ["\(parts[place])=", " \(parts[place])", "\(parts[place])A=", "é", "A"] {
                var changed = parts
                changed[place] = wrong
                #expect(CompactJWS(changed.joined(separator: "."), longest: 1000) == nil)
            }
        }
    }

    @Test(
        arguments: [
            "", "{}", "null", "[]", "\"ES256\"", "{\"alg\":null}", "{\"alg\":256}", "{\"alg\":[\"ES256\"]}",
            "{\"alg\":\"ES256\",\"enc\":1}", "{\"alg\":\"ES256\",\"x5c\":\"AAAA\"}", "{\"alg\":\"ES256\",\"x5c\":[1]}",
            "{\"alg\":\"ES256\",\"crit\":[\"b64\"],\"b64\":false}", "{\"alg\":\"ES256\",\"crit\":[]}",
            "{\"alg\":\"ES256\",\"crit\":null}", "{\"alg\":\"ES256\",\"zip\":\"DEF\"}",
            "{\"alg\":\"ES256\",\"zip\":null}",
            "{\"alg\":\"ES256\"", "{\"alg\":\"ES256\"}}", "{\"alg\":\"ES256\"} {}", "\u{0}{\"alg\":\"ES256\"}",
            "{\"alg\":\"ES256\",\"alg\":\"none\"}", "{\"alg\":\"none\",\"alg\":\"ES256\"}", "{\"alg\":\"ES256\",}",
            "{\"alg\":\"ES256\",\"kid\":\"a\",\"\\u006bid\":\"b\"}", "\u{FEFF}{\"alg\":\"ES256\"}",
        ])
    func `a header that says less, or asks for more, is refused`(_ header: String) {
        let text = CompactJWS.text(header: header.utf8, payload: [1] as [UInt8]) { _ in [2] as [UInt8] }
        #expect(CompactJWS(text, longest: 1000) == nil)
    }

    @Test func `a header with bytes that are no text is refused`() {
        let header = Array("{\"alg\":\"ES256\",\"kid\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(
            CompactJWS(CompactJWS.text(header: header, payload: [1] as [UInt8]) { _ in [2] as [UInt8] }, longest: 1000)
                == nil)
    }

    @Test func `a header that is nested without end is refused`() {
        let header = "{\"alg\":\"ES256\",\"x\":" + String(repeating: "[", count: 6000)
        #expect(
            CompactJWS(
                CompactJWS.text(header: header.utf8, payload: [1] as [UInt8]) { _ in [2] as [UInt8] }, longest: 10_000)
                == nil)
    }

    @Test func `certificates and other members are read, and not understood`() throws {
        let header = #"{"x5c":["AAAA","=:("],"typ":"JWT","kid":null,"alg":"x","jwk":{"kty":"EC"},"jku":"https://x"}"#
        let text = CompactJWS.text(header: header.utf8, payload: [] as [UInt8]) { _ in [2] as [UInt8] }
        let token = try #require(CompactJWS(text, longest: 1000))
        #expect(token.header.algorithm == "x")
        #expect(token.header.certificates == ["AAAA", "=:("])
        #expect(token.payload == [])
    }

    @Test func `a token is written as it is read`() throws {
        var signed: [UInt8] = []
        let text = CompactJWS.text(header: Array(#"{"alg":"ES256"}"#.utf8), payload: [0, 255, 62] as [UInt8]) { bytes in
            signed = bytes
            return [1, 2, 3] as [UInt8]
        }
        let token = try #require(CompactJWS(text, longest: 1000))
        #expect(token.payload == [0, 255, 62])
        #expect(token.signature == [1, 2, 3])
        #expect(token.signedBytes == signed)
    }

    @Test(.heavy) func `a changed token is refused, or says what is written in it`() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<5000 {
            let changed = Self.rfc7515.mutated(using: &random)
            guard let token = CompactJWS(changed, longest: 1000) else { continue }
            let parts = changed.split(separator: ".", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            #expect(Base64URL.text(token.payload) == parts[1])
            #expect(Base64URL.text(token.signature) == parts[2])
            #expect(token.signedBytes == Array("\(parts[0]).\(parts[1])".utf8))
        }
    }
}
