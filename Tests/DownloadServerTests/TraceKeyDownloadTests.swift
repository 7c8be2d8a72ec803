import FileAnswers
import Foundation
import Loop
import ObjectStore
import PublishedTree
import Running
import TestSupport
import Testing

@testable import DownloadServer

/// `GET /v3/traceKeys`, as SwissCovid's phones ask.
@Suite(.timeLimit(.minutes(5))) struct TraceKeyDownloadTests {
    private static let tags = [248_000, 248_003, 248_010].map { TraceKeyTag(number: $0) }

    /// Serves three lists in both forms; each says which it is.
    private func serving(_ body: (_ get: (String, [(String, String)]) async throws -> Answer) async throws -> Void)
        async throws
    {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let tree = DirectoryStore(root: root)
        for tag in Self.tags {
            for form in TraceKeyForm.allCases {
                let fields = [("x-key-bundle-tag", Self.tags[2].text), ("signature", "a.b.c")].compactMap {
                    PublishedAnswer.Field($0, $1)
                }
                let answer = PublishedAnswer(fields: fields, body: Array("\(tag.number) \(form.rawValue)".utf8))
                try await tree.write(answer.bytes, to: TraceKeyIndex.file(tag, form))
            }
        }
        try await tree.write(try #require(TraceKeyIndex(Self.tags)).bytes, to: TraceKeyIndex.key)
        let port = TestPort.free()
        try await withRunningService(
            "download-server", settings: ["directory": root.path, "listen.port": "\(port)"],
            serve: DownloadServer.serve
        ) { _ in
            try await body { try await send(.GET, "http://127.0.0.1:\(port)\($0)", headers: $1) }
        }
    }

    @Test(arguments: [
        ("", "248000"), ("?", "248000"), ("?lastBundleTag=1", "248000"), ("?lastKeyBundleTag=0", "248000"),
        ("?lastKeyBundleTag", "248000"), ("?lastKeyBundleTag=", "248000"),
        ("?lastKeyBundleTag=\(tags[0].text)", "248000"), ("?a=b&lastKeyBundleTag=\(tags[0].text)", "248000"),
        ("?lastKeyBundleTag=\(TraceKeyTag(number: 248_001).text)", "248003"),
        ("?lastKeyBundleTag=\(tags[1].text)", "248003"), ("?lastKeyBundleTag=\(tags[2].text)", "248010"),
    ])
    func `a phone gets what came since its tag, in the form that it asks for`(_ query: String, _ list: String)
        async throws
    {
        try await serving { get in
            for (accept, type, form) in [
                ("application/json", "application/json", "json"), ("*/*", "application/json", "json"),
                ("application/x-protobuf", "application/x-protobuf", "pb"),
                ("text/plain, application/protobuf;q=0.9", "application/x-protobuf", "pb"),
            ] {
                let answer = try await get("/v3/traceKeys\(query)", [("accept", accept)])
                #expect(answer.status == 200)
                #expect(answer.body == "\(list) \(form)")
                #expect(answer.fields["content-type"] == [type])
                #expect(answer.fields["x-key-bundle-tag"] == [Self.tags[2].text])
                #expect(answer.fields["signature"] == ["a.b.c"])
                #expect(answer.fields["vary"] == ["accept"])
                #expect(answer.fields["cache-control"] == ["public, max-age=300"])
                #expect(answer.fields["content-length"] == ["\(answer.body.utf8.count)"])
                let unchanged = try await get(
                    "/v3/traceKeys\(query)", [("accept", accept), ("if-none-match", answer.fields["etag"][0])])
                #expect(unchanged.status == 304 && unchanged.body.isEmpty)
                #expect(unchanged.fields["x-key-bundle-tag"] == [Self.tags[2].text])
            }
        }
    }

    @Test(arguments: [
        "lastKeyBundleTag=x", "lastKeyBundleTag=-7200000",
        "lastKeyBundleTag=1",
        "lastKeyBundleTag=+7200000", "lastKeyBundleTag=7200000.0", "lastKeyBundleTag=99999999999999999999",
        "lastKeyBundleTag=\(TraceKeyTag(number: 248_011).text)",
        "lastKeyBundleTag=\(tags[0].text)&lastKeyBundleTag=\(tags[0].text)",
    ])
    func `a tag that no answer gave isn't found`(_ query: String) async throws {
        try await serving { get in
            let answer = try await get("/v3/traceKeys?\(query)", [])
            #expect(answer.status == 404)
        }
    }

    @Test func `whatever a target is, it names a list that the index has, or nothing`() throws {
        let index = try #require(TraceKeyIndex(Self.tags))
        let lists = Set(Self.tags.flatMap { tag in TraceKeyForm.allCases.map { TraceKeyIndex.file(tag, $0) } })
        let parts = [
            "/v3/traceKeys", "?", "&", "=", "lastKeyBundleTag", "%00", "/", "..", "é", "0", "-1", " ",
            Self.tags[0].text, Self.tags[1].text, "99999999999999999999",
        ]
        var randomness = SeededGenerator(seed: 7)
        var found = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...7, using: &randomness)
            let target = (0..<count).compactMap { _ in parts.randomElement(using: &randomness) }.joined()
            guard let query = TraceKeyQuery(parts[0] + target) else { continue }
            guard let object = query.object(in: index, .json) else { continue }
            #expect(lists.contains(object), "\(target)")
            found += 1
        }
        #expect(found > 100)
    }

    @Test func `lists have no other path`() async throws {
        try await serving { get in
            for path in [
                "/version/v1/trace-keys/\(Self.tags[0].text).json", "/v3/traceKeys/", "/v3/tracekeys", "/v3",
                "/v3/traceKeys2",
            ] {
                let answer = try await get(path, [])
                #expect(answer.status == 404, "\(path)")
            }
            let index = try await get("/version/v1/trace-keys", [])
            #expect(index.status == 200)
        }
    }

    @Test func `without lists nothing is found`() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let tree = DirectoryStore(root: root)
        func found() -> ServedFile? {
            ServedFiles(root: root.path, cache: FileCache())
                .file("/v3/traceKeys", accept: nil, acceptEncoding: nil, at: .now())
        }
        try await tree.write(Array("[1]".utf8), to: TraceKeyIndex.key)
        #expect(found() == nil)
        try await tree.write(Array("[0]".utf8), to: TraceKeyIndex.key)
        #expect(found() == nil)
        try await tree.write(Array("damaged".utf8), to: TraceKeyIndex.file(TraceKeyTag(number: 0), .json))
        #expect(found() == nil)
    }
}
