import FoundationEssentials
import Glibc
import HTTPTypes
import NIOCore
import Running
import Synchronization

/// The tree's files as they are served: kept in memory, and looked at again after a second.
///
/// It blocks while it looks, which for files that the system has in memory is a matter of microseconds.
final class ServedFiles: Sendable {
    /// A file that is there.
    struct File: Sendable {
        let content: ByteBuffer
        /// Of the file's time and size, as nginx makes it; the time is a function of the content (``PublishedDirectory``).
        let entityTag: String
        /// What every answer about it says, each field with its line's end.
        let fields: String
        /// The answer with all of it.
        let whole: FileAnswer
        /// The answer to whom has it already.
        let unchanged: FileAnswer

        init(content: ByteBuffer, entityTag: String, key: TreeKey) {
            self.content = content
            self.entityTag = entityTag
            fields =
                "content-type: \(key.contentType)\r\ncache-control: \(key.cacheControl)\r\netag: \(entityTag)\r\n"
                + "accept-ranges: bytes\r\n"
            whole = FileAnswer(.ok, fields + "content-length: \(content.readableBytes)\r\n")
            unchanged = FileAnswer(.notModified, fields)
        }
    }

    private struct Kept: Sendable {
        let file: File?
        let lookedAt: NIODeadline
    }

    private struct State {
        /// By what requests call them: to take such a path apart costs as much as half an answer.
        var kept: [String: Kept] = [:]
        var bytes = 0
    }

    private let tree: PublishedDirectory
    private let state = Mutex(State())

    /// Where it would take more memory or more names than these, everything is forgotten: names that don't exist are kept,
    /// too, and anybody can think of many.
    private static let mostBytes = 256 << 20
    private static let mostNames = 4096
    /// For how long a file, or that there is none, is believed.
    private static let freshness: TimeAmount = .seconds(1)

    init(tree: PublishedDirectory) { self.tree = tree }

    /// Nil when there is none.
    /// - Parameter target: as a request names it, with or without a query, which means nothing.
    func file(_ target: String) -> File? {
        let now = NIODeadline.now()
        let known = state.withLock { $0.kept[target] }
        if let known, now - known.lookedAt < Self.freshness { return known.file }
        let key = TreeKey(requested: target.prefix { $0 != "?" })
        let file = key.flatMap { Self.read(tree.url($0).path, $0, known: known?.file) }
        state.withLock { state in
            state.bytes += (file?.content.readableBytes ?? 0) - (state.kept[target]?.file?.content.readableBytes ?? 0)
            state.kept[target] = Kept(file: file, lookedAt: now)
            if state.bytes > Self.mostBytes || state.kept.count > Self.mostNames { state = State() }
        }
        return file
    }

    private static func read(_ path: String, _ key: TreeKey, known: File?) -> File? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let facts = FileFacts(of: descriptor), facts.isRegular else { return nil }
        let size = facts.size
        let entityTag = "\"\(String(facts.modified, radix: 16))-\(String(size, radix: 16))\""
        if let known, known.entityTag == entityTag { return known }
        var content = ByteBuffer()
        var position = 0
        while position < size {
            let missing = size - position
            let count = content.writeWithUnsafeMutableBytes(minimumWritableBytes: missing) { target in
                max(0, pread(descriptor, target.baseAddress, missing, off_t(position)))
            }
            // A file never shrinks: another takes its place.
            guard count > 0 else { return nil }
            position += count
        }
        return File(content: content, entityTag: entityTag, key: key)
    }
}
