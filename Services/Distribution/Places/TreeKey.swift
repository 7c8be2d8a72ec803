/// A place in the published tree, such as `version/v1/diagnosis-keys/country/DE/date/2026-11-20/hour/13`.
///
/// It is the path under which phones ask for an object, and the object's key in a bucket. What an object is follows from its
/// path alone, so that a web server can be told the same rules (Corona-Warn-App sheet, 5.1).
struct TreeKey: Hashable, Comparable, Sendable {
    /// Without a slash at either end.
    let path: String

    /// A path that the program made.
    init(_ path: String) { self.path = path }

    /// A path that somebody sent, with or without a slash at either end; nil when it can't name an object of a tree.
    init?(requested path: some StringProtocol) {
        let path = Substring(path)
        let relative = path.dropFirst(path.hasPrefix("/") ? 1 : 0).dropLast(path.hasSuffix("/") ? 1 : 0)
        let names = relative.split(separator: "/", omittingEmptySubsequences: false)
        guard names.first == "version", names.allSatisfy({ Self.isName($0) }), names.last != "index" else { return nil }
        self.path = String(relative)
    }

    /// Letters, digits, hyphens, underlines and points; no point in front, so that nothing leads out of the tree and files
    /// that are just being written aren't found.
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

    static func / (parent: TreeKey, name: some CustomStringConvertible) -> TreeKey {
        TreeKey("\(parent.path)/\(name)")
    }

    static func < (left: TreeKey, right: TreeKey) -> Bool { left.path < right.path }

    // MARK: What is there

    /// What an object is, and so how it is sent and for how long it may be kept.
    enum Kind: Sendable {
        /// A list in JSON, which changes when something is published.
        case index
        /// An archive that never changes: keys, or check-in reports.
        case package
        /// An archive that changes now and then: configuration, statistics.
        case archive
    }

    var kind: Kind {
        if Self.indexNames.contains(name) { return .index }
        return ["date", "hour"].contains(parentName) ? .package : .archive
    }

    private static let indexNames: Set<Substring> = ["version", "index-v2", "country", "date", "hour"]

    /// The header field `Content-Type`.
    var contentType: String { kind == .index ? "application/json" : "application/zip" }

    /// The header field `Cache-Control`: a package may be kept for good, everything else for five minutes.
    var cacheControl: String {
        kind == .package ? "public, max-age=1209600, immutable" : "public, max-age=300"
    }

    // MARK: In a directory

    /// The object's file. A directory can't have a file and a folder of one name: an object that may have others below it is
    /// the file `index` of its folder.
    var file: String { mayHaveChildren ? "\(path)/index" : path }

    /// The object that a file is; nil when it is none.
    init?(file: String) {
        let path = file.hasSuffix("/index") ? String(file.dropLast(6)) : file
        guard let key = TreeKey(requested: path), key.file == file else { return nil }
        self = key
    }

    private var mayHaveChildren: Bool {
        switch (parentName, name) {
        case (_, "version"), (_, "country"), (_, "date"), (_, "hour"): true
        // A day has hours. A day's further batches have a point in their name.
        case ("date", _): !name.contains(".")
        case ("dcc-rl", _): name != "kid"
        default: false
        }
    }

    private var name: Substring { path.split(separator: "/").last ?? "" }
    private var parentName: Substring { path.split(separator: "/").dropLast().last ?? "" }
}
