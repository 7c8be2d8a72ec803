import ObjectStore
import PublishedTree

/// A store that fails for good after a number of changes.
actor FailingStore: TreeStore {
    struct Failure: Error {}

    private let tree: any TreeStore
    private var left: Int

    init(_ tree: any TreeStore, after changes: Int) {
        self.tree = tree
        left = changes
    }

    private func spend() throws {
        guard left > 0 else { throw Failure() }
        left -= 1
    }

    func objects() async throws -> [TreeKey: StoredObject] { try await tree.objects() }
    func read(_ key: TreeKey) async throws -> [UInt8]? { try await tree.read(key) }
    func write(_ content: [UInt8], to key: TreeKey) async throws {
        try spend()
        try await tree.write(content, to: key)
    }
    func remove(_ keys: [TreeKey]) async throws {
        try spend()
        try await tree.remove(keys)
    }
}
