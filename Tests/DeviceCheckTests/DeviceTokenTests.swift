import DeviceCheck
import Foundation
import TestSupport
import Testing

@Suite struct DeviceTokenTests {
    @Test(arguments: [2500, 2504, 3000, 3496, 3500])
    func `Base64 of the right length is a token`(_ count: Int) throws {
        #expect(try DeviceToken(Sample.text(count)).text == Sample.text(count))
    }

    @Test(arguments: [0, 4, 2496, 3504, 100_000])
    func `another length is refused`(_ count: Int) {
        #expect(throws: DeviceCheckFlaw.syntax) { try DeviceToken(Sample.text(count)) }
    }

    @Test func `padding belongs to a token`() throws {
        let padded = Data(repeating: 7, count: 2000).base64EncodedString()
        try #require(padded.hasSuffix("="))
        #expect(try DeviceToken(padded).text == padded)
        let unpadded = padded.replacing("=", with: "")
        #expect(throws: DeviceCheckFlaw.syntax) { try DeviceToken(unpadded) }
    }

    @Test func `what isn't Base64 in its only form is refused`() {
        let text = Sample.text(2800)
        for wrong in [
            "\(text.dropLast(4))AAA=AAAA", "\(text.dropLast())-", "\(text.dropLast())_", "\(text.dropLast())\n",
            "\(text.dropLast(2))\r\n", "\(text.dropLast())\"", " \(text.dropFirst())", "\(text)A", "\(text.dropLast())",
            "\(text.dropLast(2))é", "\(text.dropLast(2))B=",
        ] {
            #expect(throws: DeviceCheckFlaw.syntax) { try DeviceToken(wrong) }
        }
    }

    @Test func `no text of a token reveals it`() throws {
        let token = try Sample.token
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(text.contains("device token"))
            #expect(!text.contains(token.text.prefix(12)))
        }
    }
}
