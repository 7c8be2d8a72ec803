/// A place in the published tree, such as `version/v1/diagnosis-keys/country/DE/date/2026-11-20/hour/13`.
///
/// The key is the path under which phones request an object, and the object's key in a bucket. The path alone decides what
/// an object is, so that a web server can apply the same rules. Corona-Warn-App's object store has the same paths:
/// https://github.com/corona-warn-app/cwa-server/blob/main/docs/DISTRIBUTION.md
package struct TreeKey: Hashable, Comparable, Sendable {
    /// Without a slash at either end.
    package let path: String

    /// A path that the program made.
    package init(_ path: String) { self.path = path }

    /// A path that a caller sent, with or without a slash at either end; nil if it can't name an object of a tree.
    package init?(requested path: some StringProtocol) {
        let path = Substring(path)
        let relative = path.dropFirst(path.hasPrefix("/") ? 1 : 0).dropLast(path.hasSuffix("/") ? 1 : 0)
        let names = relative.split(separator: "/", omittingEmptySubsequences: false)
        guard names.first == "version", names.allSatisfy({ Self.isName($0) }), names.last != "index" else { return nil }
        self.path = String(relative)
    }

    /// Whether a name has only letters, digits, hyphens, underscores and dots.
    ///
    /// No leading dot, so that no path leads out of the tree or names a file that is still being written.
    private static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// The object below `parent` that is called `name`.
    package static func / (parent: TreeKey, name: some CustomStringConvertible) -> TreeKey {
        TreeKey("\(parent.path)/\(name)")
    }

    /// Compares the paths.
    package static func < (left: TreeKey, right: TreeKey) -> Bool { left.path < right.path }

    // MARK: Kind

    /// What an object is, which decides its content type and how long caches may keep it.
    package enum Kind: Sendable {
        /// A list in JSON, which changes with every publication.
        case index
        /// An archive of keys or check-in reports. It loses keys that expire, and doesn't change otherwise.
        case package
        /// A signed bundle of venue reports, which never changes.
        case bundle
        /// An archive that changes now and then: configuration, statistics.
        case archive
        /// A list of trace keys with its header fields (``PublishedAnswer``). Callers don't request it by its path.
        case answer
        /// A list of `further`, which is built again every five minutes. Callers don't request it by its path (``FurtherList``).
        case healthReports
    }

    /// The object's kind.
    package var kind: Kind {
        if Self.indexNames.contains(name) { return .index }
        return switch parentName {
        case "date", "hour": .package
        case "venue-reports": .bundle
        case "trace-keys": .answer
        case "further": .healthReports
        default: .archive
        }
    }

    private static let indexNames: Set<Substring> = [
        "version", "index-v2", "country", "date", "hour", "venue-reports", "current-exposure-events.json",
        "risky-venues", "trace-keys",
    ]

    /// The header field `Content-Type`.
    package var contentType: String {
        switch kind {
        case .index, .healthReports: "application/json"
        case .bundle: "application/x-protobuf"
        case .package, .archive: "application/zip"
        case .answer: name.hasSuffix(".json") ? "application/json" : "application/x-protobuf"
        }
    }

    /// The header field `Cache-Control`: an hour for a package, which is how often packages lose expired keys; a day for a bundle,
    /// so that no cache keeps one for longer than that after it has left the tree; a minute for health reports, which are taken back;
    /// five minutes for everything else.
    package var cacheControl: String {
        switch kind {
        case .package: "public, max-age=3600"
        case .bundle: "public, max-age=86400, immutable"
        case .healthReports: "public, max-age=60"
        case .index, .archive, .answer: "public, max-age=300"
        }
    }

    // MARK: Files

    /// The object's file below the tree's folder.
    ///
    /// A folder can't hold a file and a folder of the same name, so an object that may have others below it is the file `index`
    /// of its folder.
    package var file: String { mayHaveChildren ? "\(path)/index" : path }

    /// The object that a file holds; nil if it holds none.
    package init?(file: String) {
        let path = file.hasSuffix("/index") ? String(file.dropLast(6)) : file
        guard let key = TreeKey(requested: path), key.file == file else { return nil }
        self = key
    }

    private var mayHaveChildren: Bool {
        switch (parentName, name) {
        case (_, "version"), (_, "country"), (_, "date"), (_, "hour"), (_, "venue-reports"), (_, "trace-keys"):
            true
        // A day has hours. The name of a day's further batches has a dot.
        case ("date", _): !name.contains(".")
        case ("dcc-rl", _): name != "kid"
        default: false
        }
    }

    private var name: Substring { path.split(separator: "/").last ?? "" }
    private var parentName: Substring { path.split(separator: "/").dropLast().last ?? "" }
}
