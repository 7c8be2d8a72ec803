package import Loop

/// What one core knows: files by the name under which they are asked for, or that there is none. An entry is believed for
/// a second.
///
/// Names are request targets, because parsing a path costs half as much as an answer. Callers can invent any number of names, so beyond its limits everything is dropped.
package struct RecentFiles: Sendable {
    private struct Entry: Sendable {
        let file: ServedFile?
        let end: Moment
    }

    private static let maxBytes = 256 << 20
    private static let maxEntries = 4096
    private static let freshness = Duration.seconds(1)

    private var entries: [String: Entry] = [:]
    private var bytes = 0

    /// No files.
    package init() {}

    /// The file of a name; nil if there is none.
    ///
    /// - Parameter find: asked if nothing is known that may still be believed.
    package mutating func file(_ name: String, at now: Moment, find: () -> ServedFile?) -> ServedFile? {
        if let known = entries[name], now < known.end { return known.file }
        let file = find()
        remember(file, as: name, at: now)
        return file
    }

    private mutating func remember(_ file: ServedFile?, as name: String, at now: Moment) {
        let old = entries.updateValue(Entry(file: file, end: now + Self.freshness), forKey: name)
        bytes += (file?.content.count ?? 0) - (old?.file?.content.count ?? 0)
        if bytes > Self.maxBytes || entries.count > Self.maxEntries { self = RecentFiles() }
    }
}
