import FoundationEssentials
import Glibc
import HTTPTypes
import NIOCore
import PublishedTree
import Running
import Synchronization

/// A cache of the tree's files, as they are served. An entry is revalidated after a second.
///
/// Files are opened for reading, and nothing here writes. Revalidation blocks, which takes microseconds for files in the page
/// cache.
final class ServedFiles: Sendable {
    /// A file that exists.
    struct File: Sendable {
        let content: ByteBuffer
        /// Made from modification time and size, as nginx does. `DirectoryStore` derives the time from the content.
        let entityTag: String
        /// The header fields of every answer about the file, each with its line break.
        let fields: String
        /// The answer with the whole file.
        let whole: FileAnswer
        /// The answer to a caller whose copy is current.
        let unchanged: FileAnswer

        /// Nil for a damaged object.
        /// - Parameter more: header fields that the object's key doesn't tell.
        init?(content: ByteBuffer, entityTag: String, key: TreeKey, more: String) {
            self.entityTag = entityTag
            var fields =
                "content-type: \(key.contentType)\r\ncache-control: \(key.cacheControl)\r\netag: \(entityTag)\r\n"
                + "accept-ranges: bytes\r\n" + more
            if key.kind == .answer {
                guard let answer = PublishedAnswer(Array(content.readableBytesView)) else { return nil }
                self.content = ByteBuffer(bytes: answer.body)
                fields += answer.fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "vary: accept\r\n"
            } else {
                self.content = content
            }
            self.fields = fields
            whole = FileAnswer(.ok, fields + "content-length: \(self.content.readableBytes)\r\n")
            unchanged = FileAnswer(.notModified, fields)
        }
    }

    private struct Entry: Sendable {
        let file: File?
        let validatedAt: Date
    }

    private struct State {
        /// Entries by request target: parsing a path costs half as much as an answer.
        var entries: [String: Entry] = [:]
        var bytes = 0
    }

    private let root: URL
    private let further: URL?
    private let clock: WallClock
    private let state = Mutex(State())

    /// Beyond these limits the cache is emptied: names without a file are cached as well, and callers can invent any number
    /// of them.
    private static let maximumBytes = 256 << 20
    private static let maximumEntries = 4096
    /// For how many seconds an entry is used without a look at the file.
    private static let freshness: TimeInterval = 1

    /// - Parameters:
    ///   - root: the folder that contains `version`.
    ///   - further: the same of the lists of `further`; nil if there are none.
    init(root: URL, further: URL? = nil, clock: WallClock) {
        self.root = root
        self.further = further
        self.clock = clock
    }

    /// Nil if there is no such file.
    /// - Parameters:
    ///   - target: the request target; a query is ignored, except that for trace keys.
    ///   - accept: the header field, which decides on the form of trace keys.
    ///   - acceptEncoding: the header field, which decides on the form of health reports.
    func file(
        _ target: String, accept: @autoclosure () -> String?, acceptEncoding: @autoclosure () -> String?
    ) -> File? {
        if let query = TraceKeyQuery(target) { return traceKeys(query, TraceKeyForm(accept: accept())) }
        if let further, let list = FurtherList(requested: target) {
            return healthReports(list, in: further, compressed: ContentCoding.acceptsGzip(acceptEncoding()))
        }
        return served(target) {
            // Lists of trace keys have another path.
            TreeKey(requested: target.prefix { $0 != "?" }).flatMap { $0.kind == .answer ? nil : $0 }
        }
    }

    private func healthReports(_ list: FurtherList, in folder: URL, compressed: Bool) -> File? {
        let fields = "vary: Accept-Encoding\r\n" + (list.isForPages ? "access-control-allow-origin: *\r\n" : "")
        // No request has a space in its target, so none changes these entries.
        let whole = { [self] in served(" \(list.key.path)", in: folder, fields) { list.key } }
        guard compressed else { return whole() }
        return served(" \(list.compressedKey.path)", in: folder, fields + "content-encoding: gzip\r\n") {
            list.compressedKey
        } ?? whole()
    }

    private func traceKeys(_ query: TraceKeyQuery, _ form: TraceKeyForm) -> File? {
        let place = TraceKeyIndex.key
        let file = served("/\(place.path)") { place }
        guard let index = file.flatMap({ TraceKeyIndex($0.content.readableBytesView) }),
            let object = query.object(in: index, form)
        else { return nil }
        // No request has a space in its target, so none changes this entry.
        return served(" \(object.path)") { object }
    }

    /// - Parameters:
    ///   - target: names the entry.
    ///   - folder: the folder that contains `version`; nil for the tree's.
    ///   - more: header fields that the object's key doesn't tell.
    ///   - object: what it stands for; nil if nothing.
    private func served(
        _ target: String, in folder: URL? = nil, _ more: String = "", _ object: () -> TreeKey?
    ) -> File? {
        let now = clock.now
        let known = state.withLock { $0.entries[target] }
        // A clock that was set back says nothing about an entry's age.
        if let known, (0..<Self.freshness).contains(now.timeIntervalSince(known.validatedAt)) { return known.file }
        let key = object()
        let file = key.flatMap { key in
            Self.read((folder ?? root).appending(path: key.file).path, key, more, known: known?.file)
        }
        state.withLock { state in
            state.bytes +=
                (file?.content.readableBytes ?? 0) - (state.entries[target]?.file?.content.readableBytes ?? 0)
            state.entries[target] = Entry(file: file, validatedAt: now)
            if state.bytes > Self.maximumBytes || state.entries.count > Self.maximumEntries { state = State() }
        }
        return file
    }

    private static func read(_ path: String, _ key: TreeKey, _ more: String, known: File?) -> File? {
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
            // The publisher replaces files and never truncates them.
            guard count > 0 else { return nil }
            position += count
        }
        return File(content: content, entityTag: entityTag, key: key, more: more)
    }
}
