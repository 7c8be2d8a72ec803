import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import TestResultAPI
import Testing
import VerificationAPI

/// The shapes of ids: what is taken, and that it is kept as it was sent, because the field's systems compare text.
@Suite struct CredentialShapeTests {
    private static let digits = Samples.guidText

    private static let ids: [String] = [
        digits, digits.uppercased(), "x\(digits.dropFirst())", "X\(digits.dropFirst())",
        "x\(digits.dropFirst().uppercased())", String(repeating: "0", count: 64),
    ]

    @Test("a result's id is 64 hexadecimal digits in any case, or the variant for a date of birth", arguments: ids)
    func resultID(text: String) throws {
        let id = try #require(ResultID(text))
        #expect(id.text == text)
        #expect(try ResultQuery(id).encodedBody() == Data(#"{"id":"\#(text)"}"#.utf8))
        #expect("\(id)" == "redacted")
    }

    /// 63 of them.
    private static let fewer = String(digits.dropLast())

    private static let noIDs: [String] = [
        "", "x", digits + "0", fewer, "xx\(fewer.dropFirst())", "x" + digits, fewer + "x", fewer + "g", " " + fewer,
        "\u{FF58}" + fewer, fewer + "\u{660}", fewer + "\u{0}",
    ]

    @Test("anything else is no result's id", arguments: noIDs)
    func noResultID(text: String) {
        #expect(ResultID(text) == nil)
    }

    /// The hashes were computed by another program.
    @Test(
        "a centre's id is an id that isn't hashed yet: its result is named by SHA-256 of the text as sent",
        arguments: [
            (digits, "9b86c0fcf4c3674e57b6fdec32625fcdd602a38d41e1f2e8fddeda4c45ffb85c"),
            (digits.uppercased(), "eaa763857b3b071a7bdd46b0ba431afa32b4011b295d204bf6a54bf3e81a8028"),
            ("x\(digits.dropFirst())", "e4f8ba07f5c9bb54e5c16bbf1bc967892c9a7833903366a7ff3503069a499b06"),
        ])
    func centreTestID(text: String, hash: String) throws {
        let id = try #require(CentreTestID(text))
        #expect(id.text == text)
        #expect(id.resultID.text == hash)
        // What an app asks for that scanned the text.
        #expect(id.resultID == ResultID(HashedGUID(hashing: text)))
        #expect(id.possibleResultIDs.map(\.text) == [hash, text])
        #expect(try CentreQuery(id).encodedBody() == Data(#"{"id":"\#(text)"}"#.utf8))
        #expect("\(id)" == "redacted")
    }

    @Test("what is no result's id is no centre's id", arguments: noIDs)
    func noCentreTestID(text: String) {
        #expect(CentreTestID(text) == nil)
    }

    @Test("ids that differ in case are different ids")
    func caseMatters() throws {
        #expect(ResultID(Self.digits) != ResultID(Self.digits.uppercased()))
        let lower = try #require(HashedGUID(Self.digits))
        let upper = try #require(HashedGUID(Self.digits.uppercased()))
        #expect(lower != upper)
        #expect(lower.digest != upper.digest)
        #expect(ResultID(upper).text == Self.digits.uppercased())
    }

    @Test("a GUID's hash has no variant for a date of birth", arguments: ["x", "X"])
    func noVariant(letter: String) {
        #expect(HashedGUID("\(letter)\(Self.digits.dropFirst())") == nil)
    }

    @Test("a tag is 64 hexadecimal digits, read in any case and written in lower case")
    func tag() throws {
        let samples = try Samples()
        let body = #"{"confirmations":[{"tag":"\#(samples.tag.hex.uppercased())","tan":"\#(samples.tan.text)"}]}"#
        let read = try TANConfirmations(fields: [:], body: Data(body.utf8))
        #expect(read.confirmations.map(\.tag) == [samples.tag])
        #expect(String(decoding: try read.encodedBody(), as: UTF8.self).contains(samples.tag.hex))
    }
}
