import FoundationEssentials
import HTTPContract
import HTTPTypes
import Testing

@Suite struct JSONMessageTests {
    private struct Message: JSONMessage, Equatable {
        let registrationToken: String
        let attempts: Int?

        static let schema = JSONSchema.object(
            ["registrationToken": .text()], optional: ["attempts": .wholeNumber])
    }

    @Test("unknown properties are ignored, because apps pad their requests with one")
    func padding() throws {
        let body = Data(#"{"registrationToken":"t","requestPadding":"xxxx"}"#.utf8)
        #expect(try Message(fields: [:], body: body) == Message(registrationToken: "t", attempts: nil))
    }

    @Test(
        "what is not the message is malformed, and the error quotes nothing",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"registrationToken":7}"#, #"{"registrationToken":null}"#,
            #"{"registrationToken":"t","attempts":"many"}"#, "\u{FEFF}x",
        ])
    func malformed(body: String) {
        #expect(throws: MalformedMessage()) { try Message(fields: [:], body: Data(body.utf8)) }
    }

    @Test("a message is written with sorted keys and plain slashes")
    func golden() throws {
        let encoded = try Message(registrationToken: "a/b", attempts: 2).encoded()
        #expect(String(decoding: encoded.body, as: UTF8.self) == #"{"attempts":2,"registrationToken":"a/b"}"#)
        #expect(encoded.fields.isEmpty)
    }
}
