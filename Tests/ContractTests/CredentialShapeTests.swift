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
