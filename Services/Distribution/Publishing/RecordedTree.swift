import Loop
import ObjectStore
import PublishedTree

/// A tree of which the database knows what it should hold: an object is recorded before it is written, and forgotten after it was
/// removed.
///
/// So wherever a run is killed, what may be there is recorded; where the object isn't the recorded one, the next run writes it again.
struct RecordedTree: TreeStore {
    let tree: any TreeStore
    let store: DistributionStore

    func objects() async throws -> [TreeKey: StoredObject] { try await tree.objects() }

    func read(_ key: TreeKey) async throws -> [UInt8]? { try await tree.read(key) }

    func write(_ content: [UInt8], to key: TreeKey) async throws {
        // Hashing a large package takes a while.
        let object = await Blocking.run { StoredObject(size: content.count, md5: StoredObject.md5(of: content)) }
        try await store.record([key: object])
        try await tree.write(content, to: key)
    }

    func remove(_ keys: [TreeKey]) async throws {
        try await tree.remove(keys)
        try await store.forget(keys)
    }

    func needsTrial() async throws -> Bool { try await tree.needsTrial() }

    func tryOut() async throws { try await tree.tryOut() }
}
