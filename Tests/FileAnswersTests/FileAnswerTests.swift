import FileAnswers
import HTTPMessage
import HTTPTypes
import PublishedTree
import Testing

@Suite("Answers about files")
struct FileAnswerTests {
    private static let archive = Array("PK\u{3}\u{4} an archive!".utf8)

    private func file(_ path: String = "version/v1/date/2026-05-27", _ bytes: [UInt8] = archive) throws -> ServedFile {
        try #require(ServedFile(bytes, entityTag: EntityTag(modified: 0x6543, size: 0x10), key: TreeKey(path)))
    }

    private func answer(
        _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], _ file: ServedFile?
    ) -> FileAnswer {
        FileAnswer(
            to: RequestHead(
                version: .http1_1, method: method, target: "/a", authority: "h", fields: FieldLines(fields)),
            file: file)
    }

    @Test("a file's fields say what it is and how long caches keep it")
    func whole() throws {
        let answer = answer(.get, [:], try file())
        #expect(answer.status == .ok)
        #expect(
            answer.fields.fields == [
                .contentType: "application/zip", .cacheControl: "public, max-age=3600", .eTag: "\"6543-10\"",
                .acceptRanges: "bytes",
            ])
        #expect(Array(answer.body) == Self.archive)
    }

    @Test("an object with fields of its own has them, and one that is damaged is none")
    func ownFields() throws {
        let key = TreeKey("version/v1/trace-keys/0.json")
        let field = try #require(PublishedAnswer.Field("x-a", "b"))
        let object = PublishedAnswer(fields: [field], body: [1, 2])
        let file = try #require(
            ServedFile(object.bytes, entityTag: EntityTag(modified: 1, size: 2), key: key, more: [.vary: "x"]))
        #expect(file.content == [1, 2])
        #expect(file.fields.values(.vary) == ["x", "accept"])
        #expect(file.fields.first(try #require(HTTPField.Name("x-a"))) == "b")
        #expect(ServedFile([1, 2], entityTag: EntityTag(modified: 1, size: 2), key: key) == nil)
    }

    @Test(
        "a caller whose copy is current gets 304",
        arguments: ["\"6543-10\"", "W/\"6543-10\"", "\"other\", \"6543-10\"", "\"other\" ,W/\"6543-10\" ", "*"])
    func unchanged(_ known: String) throws {
        for method in [HTTPRequest.Method.get, .head] {
            let answer = answer(method, [.ifNoneMatch: known, .range: "bytes=0-1"], try file())
            #expect(answer.status == .notModified)
            #expect(answer.body.isEmpty)
            #expect(answer.fields.first(.eTag) == "\"6543-10\"")
        }
    }

    @Test(
        "a caller with another copy gets the file",
        arguments: ["\"other\"", "", "6543-10", "\"6543-1\"", "\"6543-100\""])
    func changed(_ known: String) throws {
        #expect(answer(.get, [.ifNoneMatch: known], try file()).status == .ok)
    }

    @Test("tags may be on several lines")
    func severalLines() throws {
        let answer = answer(.get, [.ifNoneMatch: "\"other\"", .ifNoneMatch: "\"6543-10\""], try file())
        #expect(answer.status == .notModified)
    }

    /// The value of `Range`, the status, the range of bytes in the answer.
    static let requestedRanges: [(String, Int, Range<Int>?)] = [
        ("bytes=0-3", 206, 0..<4), ("bytes=2-", 206, 2..<16), ("bytes=-4", 206, 12..<16), ("bytes=3-999", 206, 3..<16),
        ("bytes=-999", 206, 0..<16), ("bytes=15-15", 206, 15..<16), ("bytes=16-", 416, nil), ("bytes=99-100", 416, nil),
        ("bytes=-0", 416, nil), ("bytes=4-2", 200, 0..<16), ("bytes=0-1,3-4", 200, 0..<16), ("bytes=", 200, 0..<16),
        ("bytes=-", 200, 0..<16), ("bytes=a-b", 200, 0..<16), ("lines=0-1", 200, 0..<16), ("bytes=0-+1", 200, 0..<16),
        ("bytes=99999999999999999999-", 200, 0..<16), ("bytes=2-9223372036854775807", 206, 2..<16),
        ("bytes=-9223372036854775807", 206, 0..<16), ("bytes=9223372036854775807-", 416, nil),
    ]

    @Test("a caller can request one range of bytes", arguments: requestedRanges)
    func ranges(field: String, status: Int, range: Range<Int>?) throws {
        let answer = answer(.get, [.range: field], try file())
        #expect(answer.status.code == status)
        #expect(Array(answer.body) == range.map { Array(Self.archive[$0]) } ?? [])
        switch (status, range) {
        case (206, let range?):
            let expected = "bytes \(range.lowerBound)-\(range.upperBound - 1)/16"
            #expect(answer.fields.only(.contentRange) == expected)
        case (416, _): #expect(answer.fields.only(.contentRange) == "bytes */16")
        default: #expect(!answer.fields.contains(.contentRange))
        }
        // HEAD has no ranges (RFC 9110, section 14.2), and of an empty file there is none.
        #expect(self.answer(.head, [.range: field], try file()).status == .ok)
        if status == 206 {
            #expect(self.answer(.get, [.range: field], try file("version", [])).status == .rangeNotSatisfiable)
        }
    }

    @Test("a range is sent only if the file hasn't changed")
    func ifRange() throws {
        #expect(answer(.get, [.range: "bytes=2-3", .ifRange: "\"6543-10\""], try file()).status == .partialContent)
        for other in ["\"other\"", "W/\"6543-10\"", "Wed, 21 Oct 2015 07:28:00 GMT", ""] {
            let answer = answer(.get, [.range: "bytes=2-3", .ifRange: other], try file())
            #expect(answer.status == .ok)
            #expect(Array(answer.body) == Self.archive)
        }
    }

    @Test("two ranges on two lines are ignored")
    func twoRanges() throws {
        #expect(answer(.get, [.range: "bytes=0-1", .range: "bytes=2-3"], try file()).status == .ok)
    }

    @Test("other methods are refused without a look at files", arguments: ["POST", "PUT", "OPTIONS", "BREW"])
    func methods(_ name: String) throws {
        let answer = answer(try #require(HTTPRequest.Method(name)), [:], try file())
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.fields.fields == [.allow: "GET, HEAD"])
        #expect(answer.body.isEmpty)
    }

    @Test("nothing is found where there is no file")
    func nothing() {
        #expect(answer(.get, [:], nil).status == .notFound)
        #expect(answer(.head, [.ifNoneMatch: "*"], nil).status == .notFound)
    }
}
