import ObjectStore
import PublishedTree

/// What the tree held when a run began: what its store lists, and what was recorded as published.
///
/// Neither is enough. A store may hide objects, which must leave nevertheless; and whoever can write to the store can alter one in place.
struct TreeInventory: Sendable {
    /// What the store lists.
    let listed: [TreeKey: StoredObject]
    /// What was published.
    let recorded: [TreeKey: StoredObject]

    /// Listed objects that are what was published. One without a record, of an earlier version of this program, is taken for it.
    var intact: [TreeKey: StoredObject] {
        listed.filter { key, object in recorded[key].map(object.matches) ?? true }
    }

    /// Whatever may be there.
    var keys: Set<TreeKey> { Set(listed.keys).union(recorded.keys) }

    /// Whether a content was published before, and only the listing doesn't know of it: no news, wherever it went.
    func hides(_ content: [UInt8], at key: TreeKey) -> Bool {
        guard listed[key] == nil, let recorded = recorded[key] else { return false }
        return recorded.matches(StoredObject(size: content.count, md5: StoredObject.md5(of: content)))
    }
}
