import ExposureKeys
import Foundation
import ServiceKit

/// A place in the published tree, such as `version/v1/diagnosis-keys/country/DE/date`.
///
/// In a directory an object that has others below it is the file `index` of its folder; over HTTP it is the folder's
/// own path (Corona-Warn-App sheet, 5.1).
struct TreeKey: Hashable, Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    static func / (parent: TreeKey, name: String) -> TreeKey { TreeKey("\(parent.path)/\(name)") }

    /// The object at this place itself, where others lie below it.
    var index: TreeKey { self / "index" }
}

/// The published tree in a directory.
struct PublishedTree: Sendable {
    let root: URL

    func exists(_ key: TreeKey) -> Bool { Self.isFile(url(key)) }

    /// Writes an object whole; readers see the old one or the new one.
    /// - Returns: false when it has this content already.
    @discardableResult
    func write(_ content: Data, to key: TreeKey) throws -> Bool {
        let url = url(key)
        if let present = try? Data(contentsOf: url), present == content { return false }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try DurableFile.write(content, to: url)
        return true
    }

    /// The object that an HTTP path names: a file, or the index of a folder.
    /// - Returns: nil when there is none, or the path tries to leave the tree.
    func object(at path: String) -> URL? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard !parts.isEmpty, parts.last != "index",
            parts.allSatisfy({ !$0.hasPrefix(".") && !$0.contains("\0") && !$0.contains("%") })
        else { return nil }
        let file = parts.reduce(root) { $0.appending(path: String($1)) }
        return [file, file.appending(path: "index")].first(where: Self.isFile)
    }

    private static func isFile(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
    }

    /// Removes packages that the tree needn't keep any longer, and folders that are empty then. Their indexes don't
    /// name them any more.
    /// - Returns: how many files were removed.
    func removePackages(notIn published: PublishedSet, regions: [String]) throws -> Int {
        var removed = 0
        for region in regions {
            let kept = Set(published.packages.map { $0.key(region: region) })
            let dates = TreeKey("version/v1/diagnosis-keys/country") / region / "date"
            for day in children(of: dates) where day != "index" {
                let hours = dates / day / "hour"
                let keptHours = children(of: hours).filter { $0 != "index" && kept.contains(hours / $0) }
                if keptHours.isEmpty { removed += try remove(hours.index) }
                for hour in children(of: hours) where hour != "index" && !kept.contains(hours / hour) {
                    removed += try remove(hours / hour)
                }
                if !kept.contains((dates / day).index) { removed += try remove((dates / day).index) }
                for folder in [hours, dates / day] where children(of: folder).isEmpty {
                    try? FileManager.default.removeItem(at: url(folder))
                }
            }
        }
        return removed
    }

    private func remove(_ key: TreeKey) throws -> Int {
        guard exists(key) else { return 0 }
        try DurableFile.remove(url(key))
        return 1
    }

    /// The names in a folder, without what is being written at the moment.
    private func children(of folder: TreeKey) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: url(folder).path)
        return (names ?? []).filter { !$0.hasPrefix(".") }
    }

    private func url(_ key: TreeKey) -> URL { root.appending(path: key.path) }
}
