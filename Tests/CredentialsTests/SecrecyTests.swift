import Credentials
import Testing

struct SecrecyTests {
    @Test("no credential prints itself, in whatever way it is printed")
    func descriptions() throws {
        let token = try #require(RegistrationToken("63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"))
        let tan = try #require(TAN("63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"))
        let code = try #require(TeleTAN("FE9A5MAK6C"))
        let guid = HashedGUID(hashing: "planted")
        #expect("\(token) \(tan) \(code) \(guid)" == "redacted redacted redacted redacted")
        let secret = Secret("planted")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!("\(secret)" + String(reflecting: secret) + dumped).contains("planted"))
        #expect(secret.exposed { $0 } == "planted")
    }

    @Test("hexadecimal text is read in either case and written in lower case")
    func hexadecimal() {
        #expect([UInt8](hex: "00fFA9") == [0, 255, 169])
        #expect([UInt8](hex: "0") == nil)
        #expect([UInt8](hex: "0g") == nil)
        #expect([0, 255, 169].hex == "00ffa9")
    }
}
