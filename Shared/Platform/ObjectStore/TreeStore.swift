import Crypto
package import PublishedTree

/// The storage of the published tree: a directory of this machine, or a bucket.
///
/// A store keeps objects and doesn't know their meaning. The publisher decides the order (packages before the indexes that name
/// them) and ensures that only one run writes at a time (``GuardedTree``).
package protocol TreeStore: Sendable {
    /// Every object of the tree.
    func objects() async throws -> [TreeKey: StoredObject]

    /// An object's content; nil if there is no such object.
    func read(_ key: TreeKey) async throws -> [UInt8]?

    /// Writes an object atomically and durably: readers see the old content or the new one.
    ///
    /// The store compares what it wrote with `content` before anybody can read it.
    func write(_ content: [UInt8], to key: TreeKey) async throws

    /// Removes objects; a missing one is no error.
    func remove(_ keys: [TreeKey]) async throws
}

/// A store's metadata of an object.
package struct StoredObject: Sendable, Equatable {
    /// The size in bytes.
    package let size: Int
    /// The content's MD5 in lower-case hexadecimal; nil if the store doesn't know it without reading the object.
    package var md5: String?

    /// An object of a listing, or one that was just written.
    package init(size: Int, md5: String? = nil) {
        self.size = size
        self.md5 = md5
    }
}

extension StoredObject {
    /// MD5 as stores give it. It detects changes; it protects against nobody.
    package static func md5(of content: [UInt8]) -> String {
        Insecure.MD5.hash(data: content).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
