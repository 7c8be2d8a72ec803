import FileAnswers
import HTTPTypes
import Loop
import PublishedTree

/// The tree's files as one core serves them.
final class ServedFiles {
    private let root: String
    private let further: String?
    private let cache: FileCache
    private var recent = RecentFiles()

    /// The Fetch standard, section 3.3.3.
    private static let allowedOrigin = HTTPField.Name("Access-Control-Allow-Origin")

    /// - Parameters:
    ///   - root: the folder that contains `version`.
    ///   - further: the same of the lists of `further`; nil if there are none.
    ///   - cache: what all cores share.
    init(root: String, further: String? = nil, cache: FileCache) {
        self.root = root
        self.further = further
        self.cache = cache
    }

    /// Nil if there is no such file.
    /// - Parameters:
    ///   - target: the request target; a query is ignored, except that for trace keys.
    ///   - accept: the header field, which decides on the form of trace keys.
    ///   - acceptEncoding: the header field, which decides on the form of health reports.
    func file(
        _ target: String, accept: @autoclosure () -> String?, acceptEncoding: @autoclosure () -> String?,
        at now: Moment
    ) -> ServedFile? {
        if let query = TraceKeyQuery(target) { return traceKeys(query, TraceKeyForm(accept: accept()), now) }
        if let further, let list = FurtherList(requested: target) {
            return healthReports(list, in: further, compressed: ContentCoding.acceptsGzip(acceptEncoding()), now)
        }
        return recent.file(target, at: now) {
            // Lists of trace keys have another path.
            guard let key = TreeKey(requested: target.prefix { $0 != "?" }), key.kind != .answer else { return nil }
            return cache.file(key, in: root)
        }
    }

    private func healthReports(
        _ list: FurtherList, in folder: String, compressed: Bool, _ now: Moment
    ) -> ServedFile? {
        var fields: HTTPFields = [.vary: "Accept-Encoding"]
        if list.isForPages, let allowedOrigin = Self.allowedOrigin { fields[allowedOrigin] = "*" }
        if compressed {
            var coded = fields
            coded[.contentEncoding] = "gzip"
            if let file = object(list.compressedKey, in: folder, coded, now) { return file }
        }
        return object(list.key, in: folder, fields, now)
    }

    private func traceKeys(_ query: TraceKeyQuery, _ form: TraceKeyForm, _ now: Moment) -> ServedFile? {
        guard let index = object(TraceKeyIndex.key, in: root, [:], now).flatMap({ TraceKeyIndex($0.content) }),
            let key = query.object(in: index, form)
        else { return nil }
        return object(key, in: root, [:], now)
    }

    private func object(_ key: TreeKey, in folder: String, _ fields: HTTPFields, _ now: Moment) -> ServedFile? {
        // No request has a space in its target, so none changes these entries.
        recent.file(" \(key.path)", at: now) { cache.file(key, in: folder, more: fields) }
    }
}
