import Glibc
package import HTTPTypes
package import PublishedTree
import Running
import Synchronization

/// The content of files that all cores share. A core asks for a file once a second (``RecentFiles``), and then it is
/// looked at, and read if it has changed.
///
/// Files are opened for reading, and nothing here writes. That blocks, which takes microseconds for files in the page
/// cache.
package final class FileCache: Sendable {
    private struct State {
        var files: [String: ServedFile] = [:]
        var bytes = 0
    }

    /// Beyond this, everything is dropped.
    private static let maxBytes = 256 << 20

    private let state = Mutex(State())

    /// Nothing is in memory.
    package init() {}

    /// An object of a published tree as it is now; nil if there is none.
    ///
    /// - Parameters:
    ///   - key: the object's.
    ///   - folder: the tree's.
    ///   - more: header fields that the key doesn't tell.
    package func file(_ key: TreeKey, in folder: String, more: HTTPFields = [:]) -> ServedFile? {
        let path = "\(folder)/\(key.file)"
        let known = state.withLock { $0.files[path] }
        let file = Self.read(path, key, more, known: known)
        state.withLock { state in
            let old = state.files.removeValue(forKey: path)
            state.files[path] = file
            state.bytes += (file?.content.count ?? 0) - (old?.content.count ?? 0)
            if state.bytes > Self.maxBytes { state = State() }
        }
        return file
    }

    private static func read(_ path: String, _ key: TreeKey, _ more: HTTPFields, known: ServedFile?) -> ServedFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let facts = FileFacts(of: descriptor), facts.isRegular else { return nil }
        let entityTag = EntityTag(modified: facts.modified, size: facts.size)
        if let known, known.entityTag == entityTag { return known }
        let content = [UInt8](unsafeUninitializedCapacity: facts.size) { target, count in
            while count < target.count {
                let read = pread(
                    descriptor, target.baseAddress.map { $0 + count }, target.count - count, off_t(count))
                guard read > 0 else { return }
                count += read
            }
        }
        // The publisher replaces files and never truncates them.
        guard content.count == facts.size else { return nil }
        return ServedFile(content, entityTag: entityTag, key: key, more: more)
    }
}
