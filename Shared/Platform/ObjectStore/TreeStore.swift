import Crypto
package import PublishedTree

/// The storage of the published tree: a directory of this machine, or a bucket.
///
/// A store keeps objects and doesn't know their meaning. The publisher decides the order (packages before the indexes that name
/// them) and ensures that only one run writes at a time (``GuardedTree``).
package protocol TreeStore: Sendable {
    /// Every object of the tree that the store lists.
    func objects() async throws -> [TreeKey: StoredObject]

    /// An object's content; nil if there is no such object.
    func read(_ key: TreeKey) async throws -> [UInt8]?

    /// Writes an object atomically and durably: readers see the old content or the new one.
    ///
    /// What was written is compared with `content`: before anybody can read it, or by what the store says of it.
    func write(_ content: [UInt8], to key: TreeKey) async throws

    /// Removes objects; a missing one is no error.
    func remove(_ keys: [TreeKey]) async throws

    /// Whether nothing shows yet that the store can hold a tree.
    func needsTrial() async throws -> Bool

    /// Tries the store with objects of its own if it needs a trial.
    /// - Throws: ``UnsuitableStore``.
    func tryOut() async throws
}

extension TreeStore {
    /// A store of this machine needs no trial.
    package func needsTrial() async throws -> Bool { false }

    /// Does nothing.
    package func tryOut() async throws {}
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
    /// Whether both can be of the same content, as far as they say.
    package func matches(_ other: StoredObject) -> Bool {
        guard size == other.size else { return false }
        guard let md5, let expected = other.md5 else { return true }
        return md5 == expected
    }

    /// MD5 as stores give it. It detects changes; it protects against nobody.
    package static func md5(of content: [UInt8]) -> String {
        Insecure.MD5.hash(data: content).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
