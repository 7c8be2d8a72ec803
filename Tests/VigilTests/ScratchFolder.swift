import Foundation

/// A folder of a test's own, which vanishes at the end.
func withScratchFolder<R>(name: String = "scratch", _ body: (String) async throws -> R) async throws -> R {
    let parent = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString.prefix(8))")
    let folder = parent.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    return try await body(folder.path)
}
