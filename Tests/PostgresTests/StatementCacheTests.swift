import Testing

@testable import Postgres

@Suite("The cache of prepared statements")
struct StatementCacheTests {
    private func key(_ text: String, _ types: PostgresType...) -> StatementCache.Key {
        StatementCache.Key(text: text, types: types)
    }

    @Test("a text with other parameter types is another statement")
    func types() {
        var cache = StatementCache(capacity: 10)
        cache.insert(cache.newName(), for: key("SELECT $1", .int4))
        #expect(cache.name(for: key("SELECT $1", .int4)) == "s1")
        #expect(cache.name(for: key("SELECT $1", .int8)) == nil)
    }

    @Test("the least recently used statement is evicted, and no name is used twice")
    func eviction() {
        var cache = StatementCache(capacity: 3)
        for text in ["a", "b", "c"] {
            #expect(cache.evict() == nil)
            _ = cache.name(for: key(text))
            cache.insert(cache.newName(), for: key(text))
        }
        _ = cache.name(for: key("a"))
        #expect(cache.evict() == "s2")
        #expect(cache.name(for: key("b")) == nil)
        #expect(cache.name(for: key("c")) == "s3")
        #expect(cache.newName() == "s4")
    }
}
