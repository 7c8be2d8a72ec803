import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(
    "Statements", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
struct StatementTests {
    private func withClient<R: Sendable>(
        maximumConnections: Int = 2, _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database, maximumConnections: maximumConnections, body)
        }
    }

    @Test("rows come back as tuples, one column as it is, and affected rows are counted")
    func rows() async throws {
        try await withClient { client in
            try await client.session { session in
                try session.execute("CREATE TABLE t (id bigint PRIMARY KEY, name text, data bytea)")
                let inserted = try session.execute(
                    """
                    INSERT INTO t SELECT * FROM unnest(\([1, 2, 3] as [Int64]), \(["a", "b", "c"]), \
                    \([[1], [], [3, 3]] as [[UInt8]])) ON CONFLICT DO NOTHING
                    """)
                #expect(inserted == 3)
                let rows = try session.rows(
                    "SELECT id, name, data FROM t WHERE id > \(1 as Int64) ORDER BY id", as: Int64.self, String.self,
                    [UInt8].self)
                #expect(rows.map(\.0) == [2, 3])
                #expect(rows.map(\.1) == ["b", "c"])
                #expect(rows.map(\.2) == [[], [3, 3]])
                let names = try session.rows("SELECT name FROM t ORDER BY id", as: String.self)
                #expect(names == ["a", "b", "c"])
                let count = try session.row("SELECT count(*) FROM t", as: Int.self)
                #expect(count == 3)
                let missing = try session.row("SELECT id FROM t WHERE id = \(9)", as: Int64.self)
                #expect(missing == nil)
                let deleted = try session.execute("DELETE FROM t WHERE id = ANY(\([1, 2, 99]))")
                #expect(deleted == 2)
                let affected = try session.execute("DROP TABLE t")
                #expect(affected == 0)
            }
        }
    }

    @Test("a megabyte is sent and read back")
    func large() async throws {
        try await withClient { client in
            let data = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let answer = try await client.session { try $0.row("SELECT \(data)", as: [UInt8].self) }
            #expect(answer == data)
        }
    }

    @Test("a column of another type, a NULL and a wrong number of columns are decoding errors that name the column")
    func decoding() async throws {
        try await withClient { client in
            try await client.session { session in
                let type = #expect(throws: PostgresError.self) {
                    try session.rows("SELECT 4711 AS number WHERE false", as: Int64.self)
                }
                #expect(type?.code == .decoding)
                #expect(type?.reason == "column \"number\" of type OID 23 can't be read as Int64")
                let null = #expect(throws: PostgresError.self) {
                    try session.rows("SELECT NULL::text AS name", as: String.self)
                }
                #expect(null?.reason == "column \"name\" of type OID 25 is NULL")
                let count = #expect(throws: PostgresError.self) { try session.rows("SELECT 1, 2", as: Int32.self) }
                #expect(count?.reason == "2 columns instead of 1")
                let second = try session.row("SELECT NULL::text, 1", as: String?.self, Int?.self)?.1
                #expect(second == 1)
            }
        }
    }

    @Test("a unique violation gives the constraint's name and no data")
    func uniqueViolation() async throws {
        try await withClient { client in
            try await client.session { session in
                try session.execute("CREATE TABLE t (name text CONSTRAINT one_of_a_name UNIQUE)")
                let insert: SQL = "INSERT INTO t VALUES (\("planted-value"))"
                try session.execute(insert)
                let error = #expect(throws: PostgresError.self) { try session.execute(insert) }
                #expect(error?.code == .server)
                #expect(error?.sqlState == .uniqueViolation)
                #expect(error?.constraint == "one_of_a_name")
            }
        }
    }

    @Test(
        "no error shows data, however it is printed",
        arguments: [
            "SELECT \("planted-value")::int4", "SELECT ('planted-value'::text)::int4", "SELECT planted_value",
            "INSERT INTO t VALUES (\("planted-value"))", "SELECT raise(\("planted-value"))",
        ] as [SQL])
    func noData(statement: SQL) async throws {
        try await withClient { client in
            try await client.session { session in
                try session.script(
                    #"""
                    CREATE TABLE t (name text CONSTRAINT refused CHECK (name = ''));
                    CREATE FUNCTION raise(message text) RETURNS int LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION USING MESSAGE = message, DETAIL = message, HINT = message; END $$;
                    """#)
                let error = try #require(throws: PostgresError.self) { try session.execute(statement) }
                var dumped = ""
                dump(error, to: &dumped)
                for shown in ["\(error)", String(reflecting: error), dumped] {
                    #expect(!shown.contains("planted"))
                }
            }
        }
    }

    @Test("a statement that takes too long is a timeout, and the connection still works")
    func statementTimeout() async throws {
        try await TestPostgres.withDatabase { database in
            var configuration = PostgresConfiguration(
                connection: database, applicationName: "test", maximumConnections: 1)
            configuration.statementTimeout = .milliseconds(100)
            try await TestPostgres.withClient(configuration) { client in
                let before = try await client.session { try $0.row("SELECT pg_backend_pid()", as: Int32.self) }
                let error = await #expect(throws: PostgresError.self) {
                    try await client.session { try $0.execute("SELECT pg_sleep(30)") }
                }
                #expect(error?.code == .timeout)
                #expect(error?.sqlState == .queryCanceled)
                #expect(error?.isUnavailable == true)
                // A job may take longer, for one transaction.
                try await client.transaction { session in
                    try session.limitStatements(to: .seconds(20))
                    try session.execute("SELECT pg_sleep(0.2)")
                }
                let after = try await client.session {
                    try $0.row(
                        "SELECT pg_backend_pid(), current_setting('statement_timeout')", as: Int32.self, String.self)
                }
                #expect(after?.0 == before)
                #expect(after?.1 == "100ms")
            }
        }
    }

    @Test("the server's keepalive settings detect a lost client soon, since it may hold locks")
    func keepalives() async throws {
        try await withClient { client in
            let told = try await client.session { session in
                try session.rows(
                    "SELECT name FROM pg_settings WHERE name LIKE 'tcp\\_%' AND source = 'client' ORDER BY name",
                    as: String.self)
            }
            #expect(
                told == ["tcp_keepalives_count", "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_user_timeout"])
        }
    }

    @Test("a statement whose result a migration has changed is prepared again, once")
    func changedResult() async throws {
        try await withClient { client in
            try await client.session { session in
                try session.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
                let query: SQL = "SELECT * FROM t"
                let numbers = try session.rows(query, as: Int32.self)
                #expect(numbers == [1])
                try session.script("ALTER TABLE t ALTER COLUMN a TYPE text")
                let texts = try session.rows(query, as: String.self)
                #expect(texts == ["1"])
                try session.script("DEALLOCATE ALL")
                let textsAgain = try session.rows(query, as: String.self)
                #expect(textsAgain == ["1"])
            }
            // Within a transaction the failure is final.
            await #expect(throws: PostgresError.self) {
                try await client.transaction { session in
                    try session.execute("SELECT * FROM t")
                    try session.script("ALTER TABLE t ADD COLUMN b int")
                    try session.execute("SELECT * FROM t")
                }
            }
        }
    }

    @Test("statements are prepared once, up to the cache's capacity")
    func preparedStatements() async throws {
        try await withClient(maximumConnections: 1) { client in
            try await client.session { session in
                for _ in 0..<3 {
                    for number in 0..<300 {
                        let parts = (0..<number).reduce("SELECT 0" as SQL) { sql, _ in "\(sql) + 0" }
                        try session.execute(parts)
                    }
                }
                let count = try session.row("SELECT count(*) FROM pg_prepared_statements", as: Int.self)
                #expect((200...256).contains(count ?? 0))
            }
        }
    }

    @Test("a script's statements are atomic")
    func script() async throws {
        try await withClient { client in
            try await client.session { session in
                let error = #expect(throws: PostgresError.self) {
                    try session.script("CREATE TABLE a (x int); CREATE TABLE b (x nonsense); CREATE TABLE c (x int)")
                }
                #expect(error?.sqlState == "42704")
                #expect(error?.position == 43)
                let table = try session.row("SELECT to_regclass('a')::text", as: String?.self)
                #expect(table == .some(nil))
                let role = Identifier("role_of_a_test")
                try session.script(
                    "CREATE ROLE \(identifier: role) PASSWORD \(literal: #"o'p\q"#); DROP ROLE \(identifier: role)")
            }
        }
    }

    @Test("the server stores a password verifier as it is, and each has a salt of its own")
    func passwordVerifier() async throws {
        let role = try #require(
            Identifier(validating: "verifier_\(String(UInt64.random(in: .min ... .max), radix: 36))"))
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database) { client in
                // Rolled back, so that no role remains.
                let error = await #expect(throws: CancellationError.self) {
                    try await client.transaction { session in
                        let verifier = try session.passwordVerifier("pencil", for: role)
                        let form = /SCRAM-SHA-256\$4096:[A-Za-z0-9+\/]{22}==\$\S{44}:\S{44}/
                        #expect(verifier.wholeMatch(of: form) != nil)
                        let another = try session.passwordVerifier("pencil", for: role)
                        #expect(another != verifier)
                        try session.script("CREATE ROLE \(identifier: role) PASSWORD \(literal: verifier)")
                        let stored = try session.row(
                            "SELECT rolpassword FROM pg_authid WHERE rolname = \(role.name)", as: String.self)
                        #expect(stored == verifier)
                        throw CancellationError()
                    }
                }
                #expect(error != nil)
            }
        }
    }

    @Test("values with quotes and backslashes are quoted correctly", arguments: ["", "'", "\\", "a\\'b''", "$1 -- \n"])
    func literals(value: String) async throws {
        try await withClient { client in
            let stored = try await client.session { session in
                try session.script("CREATE TABLE t AS SELECT \(literal: value)::text AS x")
                return try session.row("SELECT x FROM t", as: String.self)
            }
            #expect(stored == value)
        }
    }

    @Test("COPY in the other direction is an error, and the pool replaces the connection")
    func copyIn() async throws {
        try await withClient(maximumConnections: 1) { client in
            let error = await #expect(throws: PostgresError.self) {
                try await client.session { session in
                    try session.execute("CREATE TABLE t (x int)")
                    try session.script("COPY t FROM STDIN")
                }
            }
            #expect(error?.code == .unexpected)
            let count = try await client.session { try $0.row("SELECT count(*) FROM t", as: Int.self) }
            #expect(count == 0)
        }
    }

    @Test("the log counts notices and doesn't repeat them")
    func notices() async throws {
        try await TestPostgres.withDatabase { database in
            let log = LogLines()
            try await TestPostgres.withClient(
                PostgresConfiguration(connection: database, applicationName: "test"), logger: log.logger
            ) { client in
                try await client.session { session in
                    try session.script("DO $$ BEGIN RAISE WARNING 'planted-value'; END $$")
                }
            }
            #expect(log.lines == ["debug database notices dropped [\"count\": 1]"])
        }
    }

    @Test("a session that leaves a transaction open doesn't affect other sessions")
    func openTransaction() async throws {
        try await withClient(maximumConnections: 1) { client in
            try await client.session { session in
                try session.script("CREATE TABLE t (x int); COMMIT; BEGIN; INSERT INTO t VALUES (1)")
            }
            let count = try await client.session { try $0.row("SELECT count(*) FROM t", as: Int.self) }
            #expect(count == 0)
        }
    }

    @Test("the operator's settings reach the server together with the client's")
    func options() async throws {
        try await TestPostgres.withDatabase { database in
            let connection = database + " options='-c search_path=pg_temp -c statement_timeout=1'"
            try await TestPostgres.withClient(connection) { client in
                let row = try await client.session { session in
                    try session.row(
                        """
                        SELECT current_setting('search_path'), current_setting('statement_timeout'), \
                        current_setting('application_name'), current_setting('timezone')
                        """, as: String.self, String.self, String.self, String.self)
                }
                #expect(row?.0 == "pg_temp")
                #expect(row?.1 == "10s")
                #expect(row?.2 == "test")
                #expect(row?.3 == "UTC")
            }
        }
    }
}

/// A logger whose lines can be looked at.
private final class LogLines: Sendable {
    private let collected = Mutex<[String]>([])

    var lines: [String] { collected.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.collected.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
