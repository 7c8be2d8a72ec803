import FileAnswers
import Foundation
import Loop
import PublishedTree
import Testing

@testable import DownloadServer

struct ServedFilesTests {
    @Test("a replaced file is served within a second, whatever the time of day is set to")
    func freshness() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let key = try #require(TreeKey(requested: "/version/v1/diagnosis-keys/country/DE/date"))
        let path = root.appending(path: key.file)
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        var now = Moment(nanoseconds: 1)
        let files = ServedFiles(root: root.path, cache: FileCache())
        func served() -> String? {
            files.file("/\(key.path)", accept: nil, acceptEncoding: nil, at: now)
                .map { String(decoding: $0.content, as: UTF8.self) }
        }
        func replace(by content: String) throws { try Data(content.utf8).write(to: path, options: .atomic) }

        try replace(by: "[1]")
        #expect(served() == "[1]")
        try replace(by: "[1, 2]")
        now = now + .milliseconds(900)
        #expect(served() == "[1]")
        now = now + .milliseconds(100)
        #expect(served() == "[1, 2]")
    }
}
