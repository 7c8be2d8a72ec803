import Foundation

/// Settings of a bucket, and the files that they name; the bucket needn't exist.
struct S3SettingsFiles: Sendable {
    let directory: URL
    let settings: [String: String]

    static let secret = "hush-hush/secret"

    static func with<Result: Sendable>(_ body: (S3SettingsFiles) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let files = S3SettingsFiles(
            directory: directory,
            settings: [
                "s3.endpoint": "https://s3.example.org", "s3.bucket": "published", "s3.accessKeyID": "AKID",
                "s3.secretAccessKey": directory.appending(path: "secret").path,
            ])
        try files.write("\(secret)\n", to: "secret")
        return try await body(files)
    }

    /// - Returns: the file's path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = directory.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
