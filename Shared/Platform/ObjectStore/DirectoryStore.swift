import Crypto
package import FoundationEssentials
import Glibc
import Loop
package import PublishedTree
import Running

/// The published tree in a directory of this machine, for `download-server` or another web server.
///
/// A file's modification time is derived from its content. So a web server that makes its `ETag` from time and size, as
/// nginx does, gives the same one on every machine, and after every repair, as long as the content is the same. Apps revoke
/// packages by their ETags: the `etag` fields in
/// https://github.com/corona-warn-app/cwa-server/blob/main/common/protocols/src/main/proto/app/coronawarn/server/common/protocols/internal/v2/key_download_parameters.proto
package struct DirectoryStore: TreeStore {
    /// The folder that contains `version`.
    package let root: URL

    /// - Parameter root: a folder that exists.
    package init(root: URL) { self.root = root }

    /// Also removes files that a killed run left unfinished: nobody else writes now.
    package func objects() async throws -> [TreeKey: StoredObject] {
        try await offPool {
            var objects: [TreeKey: StoredObject] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
                let file = root.appending(path: path)
                guard let facts = FileFacts(at: file.path), facts.isRegular else { continue }
                if DurableFile.isUnfinished(file) {
                    try DurableFile.remove(file)
                } else if let key = TreeKey(file: path) {
                    objects[key] = StoredObject(size: facts.size)
                }
            }
            return objects
        }
    }

    /// Nil if there is no such file.
    package func read(_ key: TreeKey) async throws -> [UInt8]? {
        try await offPool { try? Array(Data(contentsOf: url(key))) }
    }

    /// Writes through ``DurableFile``.
    package func write(_ content: [UInt8], to key: TreeKey) async throws {
        try await offPool {
            let url = url(key)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try DurableFile.write(content, to: url, modified: Self.time(of: content), verified: true)
        }
    }

    /// Also removes folders that become empty.
    package func remove(_ keys: [TreeKey]) async throws {
        try await offPool {
            for key in keys {
                try DurableFile.remove(url(key))
                removeEmptyFolders(above: key)
            }
        }
    }

    /// Seconds since 1970, in the years 2001 to 2018.
    private static func time(of content: [UInt8]) -> Int {
        let bits = SHA256.hash(data: content).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return 1_000_000_000 + bits % (1 << 29)
    }

    /// The file of an object, whether it exists or not.
    package func url(_ key: TreeKey) -> URL { root.appending(path: key.file) }

    private func removeEmptyFolders(above key: TreeKey) {
        var folder = url(key).deletingLastPathComponent()
        // `rmdir` refuses a folder that isn't empty.
        while folder.path.count > root.path.count, rmdir(folder.path) == 0 { folder.deleteLastPathComponent() }
    }

    /// Runs blocking work on a thread that may block.
    private func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await Blocking.run(work)
    }
}
