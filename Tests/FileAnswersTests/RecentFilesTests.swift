import FileAnswers
import Foundation
import Loop
import PublishedTree
import Testing

@Suite("Files in memory")
struct RecentFilesTests {
    private let key = TreeKey("version/v1/diagnosis-keys/country/DE/date")
    private let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")

    private func replace(by content: String) throws {
        let path = root.appending(path: key.file)
        try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: path, options: .atomic)
    }

    @Test("a file, or that there is none, is believed for a second")
    func freshness() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let cache = FileCache()
        var recent = RecentFiles()
        var now = Moment(nanoseconds: 1)
        func served() -> String? {
            recent.file("a", at: now) { cache.file(key, in: root.path) }.map {
                String(decoding: $0.content, as: UTF8.self)
            }
        }
        #expect(served() == nil)
        try replace(by: "[1]")
        #expect(served() == nil)
        now = now + .seconds(1)
        #expect(served() == "[1]")
        try replace(by: "[1, 2]")
        now = now + .milliseconds(999)
        #expect(served() == "[1]")
        now = now + .milliseconds(1)
        #expect(served() == "[1, 2]")
        try FileManager.default.removeItem(at: root)
        now = now + .seconds(1)
        #expect(served() == nil)
    }

    @Test("any number of names without a file is asked for, and found anew")
    func manyNames() {
        var recent = RecentFiles()
        var asked = 0
        for round in 0..<2 {
            for name in 0..<5000 {
                _ = recent.file("\(name)", at: Moment(nanoseconds: UInt64(round))) {
                    asked += 1; return nil
                }
            }
        }
        #expect(asked > 5000)
    }

    @Test("folders and names without a file are no files")
    func folders() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try replace(by: "[1]")
        let cache = FileCache()
        #expect(cache.file(TreeKey("version/v1"), in: root.path) == nil)
        #expect(cache.file(TreeKey("nothing"), in: root.path) == nil)
        #expect(cache.file(key, in: root.path)?.content == Array("[1]".utf8))
    }
}
