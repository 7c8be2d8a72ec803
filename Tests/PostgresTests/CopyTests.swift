import Dispatch
import Postgres
import TestSupport
import Testing

@Suite("COPY", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct CopyTests {
    private struct Enough: Error {}

    @Test("a connection that breaks without an error of the server ends the COPY")
    func broken() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 2) { client in
                let (begun, announce) = AsyncStream.makeStream(of: Int32.self)
                let released = DispatchSemaphore(value: 0)
                let copy = Task {
                    defer { announce.finish() }
                    return try await client.session { session in
                        let own = try #require(try session.row("SELECT pg_backend_pid()", as: Int32.self))
                        var isFirst = true
                        return try session.copyOut("SELECT repeat('x', 1000) FROM generate_series(1, 20000)") { _ in
                            guard isFirst else { return }
                            isFirst = false
                            announce.yield(own)
                            released.wait()
                        }
                    }
                }
                defer { released.signal() }
                let server = try #require(await begun.first { _ in true })
                // While it waits for us to read it can't say that it was ended.
                let writing: SQL =
                    "SELECT count(*) FROM pg_stat_activity WHERE pid = \(server) AND wait_event = 'ClientWrite'"
                while try await client.session({ try $0.row(writing, as: Int.self) }) == 0 {}
                try await client.session { try $0.execute("SELECT pg_terminate_backend(\(server))") }
                let there: SQL = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(server)"
                while try await client.session({ try $0.row(there, as: Int.self) }) != 0 {}
                released.signal()
                let error = await #expect(throws: PostgresError.self) { try await copy.value }
                #expect(error?.code == .connection)
                #expect(try await client.session { try $0.row("SELECT 1", as: Int.self) } == 1)
            }
        }
    }

    @Test("a hundred thousand rows arrive in order")
    func manyRows() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database) { client in
                let (count, sum, nulls) = try await client.session { session in
                    var sum: Int64 = 0
                    var nulls = 0
                    var expected: Int64 = 1
                    let count = try session.copyOut(
                        """
                        SELECT i, decode(md5(i::text), 'hex'), CASE WHEN i % 10 = 0 THEN NULL ELSE i::text END \
                        FROM generate_series(1::bigint, 100000) AS i
                        """
                    ) { row in
                        let number = try row.next(Int64.self)
                        #expect(try row.next([UInt8].self).count == 16)
                        if let text = try row.next(String?.self) {
                            #expect(text == String(number))
                        } else {
                            nulls += 1
                        }
                        #expect(number == expected)
                        expected += 1
                        sum += number
                    }
                    return (count, sum, nulls)
                }
                #expect(count == 100_000)
                #expect(sum == 5_000_050_000)
                #expect(nulls == 10_000)
            }
        }
    }

    @Test("no rows, and a row of a megabyte")
    func extremes() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database) { client in
                try await client.session { session in
                    let count = try session.copyOut("SELECT 1 WHERE false") { _ in Issue.record("a row") }
                    #expect(count == 0)
                    var length = 0
                    try session.copyOut("SELECT convert_to(repeat('x', 1048576), 'UTF8')") { row in
                        length = try row.next([UInt8].self).count
                    }
                    #expect(length == 1_048_576)
                }
            }
        }
    }

    @Test("a statement that fails half-way is an error, and the connection still works")
    func failure() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                try await client.session { session in
                    let error = #expect(throws: PostgresError.self) {
                        try session.copyOut("SELECT 1 / (5000 - i) FROM generate_series(1, 10000) AS i") { _ in }
                    }
                    #expect(error?.sqlState == "22012")
                    let after = try session.row("SELECT 1", as: Int.self)
                    #expect(after == 1)
                }
            }
        }
    }

    @Test("a reader that stops early closes the connection, and the next one works")
    func abandoned() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: 1) { client in
                for _ in 0..<2 {
                    await #expect(throws: Enough.self) {
                        try await client.transaction { session in
                            try session.copyOut("SELECT i FROM generate_series(1, 1000000) AS i") { _ in throw Enough()
                            }
                        }
                    }
                }
                let after = try await client.session { try $0.row("SELECT 1", as: Int.self) }
                #expect(after == 1)
            }
        }
    }
}
