import Foundation

/// Calls `body` with a new folder that is removed afterwards.
package func withScratchFolder<R>(name: String = "scratch", _ body: (String) async throws -> R) async throws -> R {
    let parent = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString.prefix(8))")
    let folder = parent.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    return try await body(folder.path)
}

/// Waits until another process has written to a file. The suite's time limit ends the wait.
package func waitForContent(of file: String) async throws {
    while (try? String(contentsOfFile: file, encoding: .utf8))?.isEmpty != false {
        try await Task.sleep(for: .milliseconds(5))
    }
}
