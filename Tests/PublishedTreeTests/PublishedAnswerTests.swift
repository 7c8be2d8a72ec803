import PublishedTree
import Testing

struct PublishedAnswerTests {
    private static let fields = [("x-key-bundle-tag", "7200000"), ("signature", "a.b:c d")]

    @Test func `fields and body are read as they were written`() throws {
        let fields = Self.fields.compactMap { PublishedAnswer.Field($0, $1) }
        for body in ["", "\n\n", "[]", "name: value\n\n"] {
            let answer = PublishedAnswer(fields: fields, body: Array(body.utf8))
            #expect(PublishedAnswer(answer.bytes) == answer)
            #expect(PublishedAnswer(answer.bytes)?.value(of: "signature") == "a.b:c d")
        }
    }

    @Test(arguments: [
        "", "\n", "[]", "a: b", "a: b\n", "a:b\n\n", "A: b\n\n", ": b\n\n", "a: \n\n", "a: ä\n\n", "a: b\rc\n\n",
        "a\n\n",
    ]) func `anything else is no answer`(_ text: String) {
        #expect(PublishedAnswer(Array(text.utf8)) == nil)
    }

    @Test(arguments: [("a", "b\r\nset-cookie: c"), ("a", "b\n\nc"), ("a b", "c"), ("a:", "b"), ("", "b"), ("a", "")])
    func `a field can't break out of its line`(_ name: String, _ value: String) {
        #expect(PublishedAnswer.Field(name, value) == nil)
    }

    @Test(arguments: [
        "", "[]", "[", "1,2", "[1]", "[7200000,7200000]", "[14400000,7200000]", "[7200000,]", "[-7200000]",
    ])
    func `what isn't an index of tags in order isn't read`(_ text: String) {
        #expect(TraceKeyIndex(Array(text.utf8)) == nil)
    }

    @Test func `an index is read as it was written`() throws {
        let index = try #require(TraceKeyIndex([3, 1, 2].map { TraceKeyTag(number: $0) }))
        #expect(index.bytes == Array("[7200000,14400000,21600000]".utf8))
        #expect(TraceKeyIndex(index.bytes) == index)
    }
}
