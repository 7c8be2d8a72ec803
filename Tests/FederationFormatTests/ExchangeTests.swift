import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

/// Names of batches, links and answers.
@Suite struct ExchangeTests {
    @Test(arguments: 0..<20)
    func `a batch has one name, which tells its country and no time`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (keys, country) = (try Sample.keys(20, seed: seed), try #require(CountryCode("DE")))
        let tag = try #require(KeyBatch(keys)).tag(of: country)
        #expect(try #require(KeyBatch(keys.shuffled(using: &random))).tag(of: country) == tag)
        #expect(tag.text.hasPrefix("DE-"))
        #expect(tag.text.count == 43)
        #expect(BatchTag(tag.text) == tag)
        #expect(tag.day == nil)
        #expect(try #require(KeyBatch(keys.dropLast())).tag(of: country) != tag)
        #expect(try #require(KeyBatch(keys)).tag(of: try #require(CountryCode("FR"))) != tag)
    }

    @Test(arguments: [
        "", "null", ".", "..", "a/b", "a b", "a+b", "a=", "ä", "a\n", "20261124-1\u{301}",
        String(repeating: "a", count: 65),
    ])
    func `what isn't safe everywhere is no name`(_ text: String) {
        #expect(BatchTag(text) == nil)
    }

    @Test func `the gateway's names tell the day`() throws {
        #expect(BatchTag("20261124-17")?.day?.name == "2026-11-24")
        for text in ["20261131-1", "2026112-1", "20261124", "20261124-", "20261124-x", "20261124-1-2", "DE-20261124"] {
            #expect(try #require(BatchTag(text)).day == nil)
        }
    }

    @Test func `a link is a name or the end`() throws {
        #expect(BatchLink(nil) == .end)
        #expect(BatchLink("null") == .end)
        #expect(BatchLink("20261124-2") == .next(try #require(BatchTag("20261124-2"))))
        #expect(BatchLink("") == nil)
        #expect(BatchLink("../x") == nil)
        for text in ["null", "20261124-2"] { #expect(BatchLink(text)?.text == text) }
    }

    @Test func `an answer names every key once`() throws {
        let text = #"{"201":[0,3],"409":[1],"500":[2]}"#
        let answer = try #require(UploadAnswer(json: Array(text.utf8), of: 4))
        #expect(answer.new == [0, 3])
        #expect(answer.known == [1])
        #expect(answer.failed == [2])
        #expect(answer.unnamed == [])
        #expect(String(decoding: try answer.json(), as: UTF8.self) == text)
        #expect(UploadAnswer(json: Array(text.utf8), of: 6)?.unnamed == [4, 5])
        #expect(UploadAnswer(json: Array("{}".utf8), of: 2)?.unnamed == [0, 1])
    }

    @Test(arguments: [
        #"{"201":[4]}"#, #"{"201":[-1]}"#, #"{"201":[0,0]}"#, #"{"201":[0],"409":[0]}"#, #"{"201":["0"]}"#, "[]", "",
        "<html>",
    ])
    func `an answer that doesn't fit the body is none`(_ text: String) {
        #expect(UploadAnswer(json: Array(text.utf8), of: 4) == nil)
    }
}
