package import PublishedTree

/// A tree that is changed only while a condition holds, which is looked at before every change.
///
/// So a process that was held up, while another one took over its job and published newer objects, doesn't put its old ones in their place.
package struct GuardedTree: TreeStore {
    private let tree: any TreeStore
    private let confirm: @Sendable () async throws -> Void

    /// - Parameter confirm: throws if the tree mustn't be changed any more.
    package init(_ tree: any TreeStore, confirming confirm: @escaping @Sendable () async throws -> Void) {
        self.tree = tree
        self.confirm = confirm
    }

    /// As the tree has them, after the condition was confirmed: a directory removes what a killed run left unfinished.
    package func objects() async throws -> [TreeKey: StoredObject] {
        try await confirm()
        return try await tree.objects()
    }

    /// As the tree has it.
    package func read(_ key: TreeKey) async throws -> [UInt8]? { try await tree.read(key) }

    /// Writes after the condition was confirmed.
    package func write(_ content: [UInt8], to key: TreeKey) async throws {
        try await confirm()
        try await tree.write(content, to: key)
    }

    /// Removes after the condition was confirmed.
    package func remove(_ keys: [TreeKey]) async throws {
        try await confirm()
        try await tree.remove(keys)
    }

    /// As the tree says.
    package func needsTrial() async throws -> Bool { try await tree.needsTrial() }

    /// Tries the store after the condition was confirmed.
    package func tryOut() async throws {
        try await confirm()
        try await tree.tryOut()
    }
}
