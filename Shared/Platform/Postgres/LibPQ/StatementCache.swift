/// The prepared statements of a connection, by text and parameter types.
///
/// Texts are static, so there are few. The capacity is for programs that compose statements in many ways, and for the integers in
/// texts of COPY. The least recently used statement is evicted.
struct StatementCache {
    struct Key: Hashable {
        var text: String
        var types: [PostgresType]
    }

    private struct Entry {
        var name: String
        var lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The name of a prepared statement, which counts as a use of it.
    mutating func name(for key: Key) -> String? {
        uses += 1
        guard let index = entries.index(forKey: key) else { return nil }
        entries.values[index].lastUse = uses
        return entries.values[index].name
    }

    /// A name that was never used on this connection.
    mutating func newName() -> String {
        names += 1
        return "s\(names)"
    }

    /// Adds a statement that the server has prepared.
    mutating func insert(_ name: String, for key: Key) {
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Removes a statement that the server doesn't know, or that is out of date.
    mutating func remove(_ key: Key) {
        entries[key] = nil
    }

    /// Removes and returns the statement that must be deallocated before another is prepared; nil while there is room.
    mutating func evict() -> String? {
        guard entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return nil
        }
        entries[oldest.key] = nil
        return oldest.value.name
    }
}
