import ObjectStore
import Postgres
import PublishedTree

/// The record of what was written to the tree, `distribution.published_object`.
extension DistributionStore {
    /// What the tree should hold, whatever its store lists.
    func publishedObjects() async throws -> [TreeKey: StoredObject] {
        try await database.session { session in
            try session.rows(
                "SELECT path, size, md5 FROM distribution.published_object", as: String.self, Int64.self, String?.self
            ).reduce(into: [:]) { objects, row in
                objects[TreeKey(row.0)] = StoredObject(size: Int(row.1), md5: row.2)
            }
        }
    }

    /// Records objects, in place of earlier ones at the same keys.
    func record(_ objects: [TreeKey: StoredObject]) async throws {
        guard !objects.isEmpty else { return }
        try await database.transaction { session in
            for (key, object) in objects.sorted(by: { $0.key < $1.key }) {
                try session.execute(
                    """
                    INSERT INTO distribution.published_object (path, size, md5)
                    VALUES (\(key.path), \(Int64(object.size)), \(nullable: object.md5))
                    ON CONFLICT (path) DO UPDATE SET size = excluded.size, md5 = excluded.md5
                    """)
            }
        }
    }

    /// Forgets objects that were removed.
    func forget(_ keys: [TreeKey]) async throws {
        guard !keys.isEmpty else { return }
        try await database.transaction { session in
            for key in keys {
                try session.execute("DELETE FROM distribution.published_object WHERE path = \(key.path)")
            }
        }
    }
}
