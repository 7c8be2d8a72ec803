import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite(
    "COPY into a table", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct CopyInTests {
    private struct Refusal: Error {}

    private struct Row: Equatable {
        var id: Int32
        var bytes: [UInt8]
        var small: Int16?
        var large: Int64
        var text: String?
        var flag: Bool
        var uuid: UUID
        var moment: Date

        init(id: Int32, using random: inout some RandomNumberGenerator) {
            self.id = id
            // Now and then more than a block holds.
            let count = Int.random(in: 0..<500, using: &random) == 0 ? 200_000 : Int.random(in: 0..<40, using: &random)
            bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            small = Bool.random(using: &random) ? Int16.random(in: .min ... .max, using: &random) : nil
            large = Int64.random(in: .min ... .max, using: &random)
            text = Bool.random(using: &random) ? String(large) + "ß\t\\N" : nil
            flag = Bool.random(using: &random)
            uuid = UUID()
            moment = Date(timeIntervalSince1970: Double(Int.random(in: 0..<2_000_000_000, using: &random)))
        }

        init(_ row: inout CopyRow) throws {
            id = try row.next(Int32.self)
            bytes = try row.next([UInt8].self)
            small = try row.next(Int16?.self)
            large = try row.next(Int64.self)
            text = try row.next(String?.self)
            flag = try row.next(Bool.self)
            uuid = try row.next(UUID.self)
            moment = try row.next(Date.self)
        }
    }

    /// A table `t (id int PRIMARY KEY, n smallint)` behind a client of one connection, so that what is asked next is
    /// asked on the connection that had the COPY.
    private func withTable<R: Sendable>(
        _ script: Script = "", statementTimeout: Duration = .seconds(10),
        _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        try await TestPostgres.withDatabase { database in
            let configuration = PostgresConfiguration(
                connection: database, applicationName: "test", maximumConnections: 1,
                statementTimeout: statementTimeout)
            try await TestPostgres.withClient(database) { owner in
                try await owner.session { session in
                    try session.script("CREATE TABLE t (id int PRIMARY KEY, n smallint)")
                    try session.script(script)
                }
            }
            return try await TestPostgres.withClient(configuration, body)
        }
    }

    private func count(_ client: PostgresClient) async throws -> Int? {
        try await client.session { try $0.row("SELECT count(*) FROM t", as: Int.self) }
    }

    /// A trigger for each row that is inserted.
    private static func trigger(_ action: Script) -> Script {
        """
        CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(action) RETURN NEW; END $$;
        CREATE TRIGGER act BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION act();
        """
    }

    @Test("random rows are read as they were written", arguments: [0, 1, 2, 3000])
    func roundTrip(count: Int32) async throws {
        var random = SystemRandomNumberGenerator()
        let rows = (0..<count).map { Row(id: $0, using: &random) }
        try await withTable(
            "CREATE TABLE r (id int, bytes bytea, small int2, big int8, text text, flag bool, id2 uuid, at timestamptz)"
        ) { client in
            let written = try await client.transaction { session in
                try session.copyIn(
                    into: "r (id, bytes, small, big, text, flag, id2, at)",
                    columns: Int32.self, [UInt8].self, Int16?.self, Int64.self, String?.self, Bool.self, UUID.self,
                    Date.self
                ) { writer in
                    for row in rows {
                        try writer.row(
                            row.id, row.bytes, row.small, row.large, row.text, row.flag, row.uuid, row.moment)
                    }
                    #expect(writer.rowCount == rows.count)
                }
            }
            #expect(written == rows.count)
            let read = try await client.session { session in
                var read: [Row] = []
                try session.copyOut("SELECT id, bytes, small, big, text, flag, id2, at FROM r ORDER BY id") {
                    read.append(try Row(&$0))
                }
                return read
            }
            // Not the rows themselves, which would be printed.
            #expect((read == rows) == true)
        }
    }

    @Test("columns may be in another order, and those that aren't named get their defaults")
    func someColumns() async throws {
        try await withTable("ALTER TABLE t ALTER n SET DEFAULT 7, ADD word text") { client in
            let row = try await client.session { session in
                try session.copyIn(into: "t (word, id)", columns: String.self, Int32.self) { try $0.row("a", Int32(1)) }
                return try session.row("SELECT id, n, word FROM t", as: Int.self, Int.self, String.self)
            }
            #expect(row.map { $0 == (1, 7, "a") } == true)
        }
    }

    @Test("a closure that throws inserts nothing, and its transaction is rolled back", arguments: [0, 1, 100_000])
    func throwing(rows: Int32) async throws {
        try await withTable { client in
            await #expect(throws: Refusal.self) {
                try await client.transaction { session in
                    try session.execute("INSERT INTO t VALUES (-1)")
                    try session.copyIn(into: "t (id)", columns: Int32.self) { writer in
                        for id in 0..<rows { try writer.row(id) }
                        throw Refusal()
                    }
                }
            }
            let total = try await count(client)
            #expect(total == 0)
        }
    }

    @Test("outside a transaction the connection still works after a closure that throws")
    func throwingAlone() async throws {
        try await withTable { client in
            let (before, after) = try await client.session { session in
                let before = try session.row("SELECT pg_backend_pid()", as: Int.self)
                #expect(throws: Refusal.self) {
                    try session.copyIn(into: "t (id)", columns: Int32.self) { writer in
                        try writer.row(Int32(1))
                        throw Refusal()
                    }
                }
                try session.copyIn(into: "t (id)", columns: Int32.self) { try $0.row(Int32(2)) }
                return (before, try session.row("SELECT pg_backend_pid() FROM t WHERE id = 2", as: Int.self))
            }
            #expect(before == after)
            let total = try await count(client)
            #expect(total == 1)
        }
    }

    @Test("when a closure hides an error, the caller is told that nothing was committed")
    func hidden() async throws {
        try await withTable { client in
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { session in
                    _ = try? session.copyIn(into: "t (id)", columns: Int32.self) { _ in throw Refusal() }
                }
            }
            #expect(error?.code == .transactionAborted)
        }
    }

    @Test("one duplicate row rolls back all rows", arguments: [0, 50_000, 99_999] as [Int32])
    func uniqueViolation(duplicate: Int32) async throws {
        try await withTable { client in
            try await client.session { try $0.execute("INSERT INTO t VALUES (\(duplicate))") }
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { session in
                    try session.execute("INSERT INTO t VALUES (-1)")
                    try session.copyIn(into: "t (id, n)", columns: Int32.self, Int16.self) { writer in
                        for id in 0..<Int32(100_000) { try writer.row(id, Int16(1)) }
                    }
                }
            }
            #expect(error?.code == .server)
            #expect(error?.sqlState == .uniqueViolation)
            #expect(error?.constraint == "t_pkey")
            let total = try await count(client)
            #expect(total == 1)
        }
    }

    @Test("a wrong type or number of columns is an error before the first row, and the connection still works")
    func columns() async throws {
        try await withTable { client in
            try await client.session { session in
                let type = #expect(throws: PostgresError.self) {
                    try session.copyIn(into: "t (id, n)", columns: Int32.self, Int.self) { _ in
                        Issue.record("writing")
                    }
                }
                #expect(type?.code == .decoding)
                #expect(type?.reason == "column 2 has type OID 21 instead of 20")
                let tooFew = #expect(throws: PostgresError.self) {
                    try session.copyIn(into: "t", columns: Int32.self) { _ in Issue.record("writing") }
                }
                #expect(tooFew?.code == .decoding)
                #expect(tooFew?.reason == "2 columns instead of 1")
                let fewerThanNamed = #expect(throws: PostgresError.self) {
                    try session.copyIn(into: "t (id, n)", columns: Int32.self) { _ in Issue.record("writing") }
                }
                #expect(fewerThanNamed?.sqlState == "42601")
                let tooMany = #expect(throws: PostgresError.self) {
                    try session.copyIn(into: "t (id)", columns: Int32.self, Int16.self) { _ in
                        Issue.record("writing")
                    }
                }
                #expect(tooMany?.sqlState == "42601")
                let noTable = #expect(throws: PostgresError.self) {
                    try session.copyIn(into: "u (id)", columns: Int32.self) { _ in Issue.record("writing") }
                }
                #expect(noTable?.sqlState == .undefinedTable)
                try session.copyIn(into: "t (id)", columns: Int32.self) { try $0.row(Int32(1)) }
            }
            let total = try await count(client)
            #expect(total == 1)
        }
    }

    @Test("COPY needs the privilege to insert and no other")
    func rights() async throws {
        try await withTable { client in
            // Roles belong to the server, not to the database.
            let random = String(UInt64.random(in: .min ... .max), radix: 36)
            let role = try #require(Identifier(validating: "copier_\(random)"))
            try await client.session { try $0.script("CREATE ROLE \(identifier: role)") }
            let copy = { @Sendable (session: Session) in
                try session.script("SET LOCAL ROLE \(identifier: role)")
                try session.copyIn(into: "t (id)", columns: Int32.self) { try $0.row(Int32(1)) }
            }
            let error = await #expect(throws: PostgresError.self) { try await client.transaction { try copy($0) } }
            #expect(error?.sqlState == .insufficientPrivilege)
            try await client.session { try $0.script("GRANT INSERT ON t TO \(identifier: role)") }
            try await client.transaction { try copy($0) }
            let total = try await count(client)
            #expect(total == 1)
            try await client.session { session in
                try session.script("DROP OWNED BY \(identifier: role); DROP ROLE \(identifier: role)")
            }
        }
    }

    @Test("terminating the backend during COPY breaks the connection, and the next one works")
    func killed() async throws {
        let ending: Script = "IF NEW.id = 100 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;"
        try await withTable(Self.trigger(ending)) { client in
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { session in
                    try session.copyIn(into: "t (id)", columns: Int32.self) { writer in
                        for id in 0..<Int32(500_000) { try writer.row(id) }
                    }
                }
            }
            #expect(error?.code == .connection)
            #expect(error?.sqlState == .adminShutdown)
            #expect(error?.isUnavailable == true)
            let total = try await count(client)
            #expect(total == 0)
        }
    }

    @Test("notices from the server during COPY don't block the rows")
    func warnings() async throws {
        let talking: Script = "RAISE WARNING 'a row, and then some: %', repeat('x', 1000);"
        try await withTable(Self.trigger(talking)) { client in
            try await client.session { session in
                try session.copyIn(into: "t (id)", columns: Int32.self) { writer in
                    for id in 0..<Int32(20_000) { try writer.row(id) }
                }
            }
            let total = try await count(client)
            #expect(total == 20_000)
        }
    }

    @Test("the statement timeout applies to COPY, and a transaction can extend it")
    func limit() async throws {
        let slow: Script = "PERFORM pg_sleep(0.3);"
        try await withTable(Self.trigger(slow), statementTimeout: .milliseconds(100)) { client in
            for limit in [nil, .seconds(10)] as [Duration?] {
                let outcome: Result<Int, PostgresError>
                do {
                    let count = try await client.transaction { session in
                        if let limit { try session.limitStatements(to: limit) }
                        return try session.copyIn(into: "t (id)", columns: Int32.self) { try $0.row(Int32(1)) }
                    }
                    outcome = .success(count)
                } catch let error as PostgresError {
                    outcome = .failure(error)
                }
                switch outcome {
                case .success(let count): #expect(limit != nil && count == 1)
                case .failure(let error): #expect(limit == nil && error.code == .timeout)
                }
            }
            let total = try await count(client)
            #expect(total == 1)
        }
    }

    @Test("another statement during COPY closes the connection, and the next one works")
    func statementAmongRows() async throws {
        try await withTable { client in
            let error = await #expect(throws: PostgresError.self) {
                try await client.transaction { session in
                    try session.copyIn(into: "t (id)", columns: Int32.self) { writer in
                        try writer.row(Int32(1))
                        try session.execute("SELECT 1")
                    }
                }
            }
            #expect(error?.code == .connection)
            let total = try await count(client)
            #expect(total == 0)
        }
    }
}
