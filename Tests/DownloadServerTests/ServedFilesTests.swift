import Foundation
import NIOCore
import PublishedTree
import Running
import TestSupport
import Testing

@testable import DownloadServer

struct ServedFilesTests {
    @Test("a replaced file is served within a second, and at once if the clock was set by an hour, forth or back")
    func freshness() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let key = try #require(TreeKey(requested: "/version/v1/diagnosis-keys/country/DE/date"))
        let path = root.appending(path: key.file)
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        let clock = ManualClock(Date(timeIntervalSince1970: 1_790_000_000))
        let files = ServedFiles(root: root, clock: clock.clock)
        func served() -> String? {
            files.file("/\(key.path)", accept: nil, acceptEncoding: nil).map { String(buffer: $0.content) }
        }
        func replace(by content: String) throws { try Data(content.utf8).write(to: path, options: .atomic) }

        try replace(by: "[1]")
        #expect(served() == "[1]")
        try replace(by: "[1, 2]")
        clock.advance(by: 0.9)
        #expect(served() == "[1]")
        clock.advance(by: 0.1)
        #expect(served() == "[1, 2]")
        try replace(by: "[1, 2, 3]")
        clock.advance(by: 3600)
        #expect(served() == "[1, 2, 3]")
        try replace(by: "[1, 2, 3, 4]")
        clock.advance(by: -3600)
        #expect(served() == "[1, 2, 3, 4]")
    }
}
