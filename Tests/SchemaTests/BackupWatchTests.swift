import Logging
import Postgres
import Running
import TestSupport
import Testing

@testable import Schema

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct BackupWatchTests {
    @Test("a connection that was open before learns when the suite was last backed up")
    func noted() async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                let runtime = ServiceRuntime(
                    name: "test", settings: [:], clock: .system,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                let watch = BackupWatch(client, runtime)
                await watch.read()
                #expect(Self.figures(runtime) == ["base": "0", "log": "0"])

                try await Self.note("vigil.backup_base", as: "1764374400", in: client)
                try await Self.note("vigil.backup_log", as: "1764378000", in: client)
                try await Self.note("vigil.backup_logs", as: "7", in: client)
                await watch.read()
                #expect(Self.figures(runtime) == ["base": "1764374400", "log": "1764378000"])
            }
        }
    }

    @Test("what isn't a number counts as no backup", arguments: ["yesterday", "-", "1764374400.5", ""])
    func other(value: String) async throws {
        try await TestPostgres.withDatabase { connection in
            try await TestPostgres.withClient(connection) { client in
                try await Self.note("vigil.backup_base", as: value, in: client)
                #expect(try await BackupRecord.lastSuccess(of: .base, in: client) == 0)
            }
        }
    }

    private static func note(_ setting: String, as value: String, in client: PostgresClient) async throws {
        _ = try await client.session { session in
            try session.execute(
                """
                SELECT set_config('test.statement', format('ALTER DATABASE %I SET %s = %L', current_database(),
                    \(setting)::text, \(value)::text), false)
                """)
            try session.script("DO $$ BEGIN EXECUTE current_setting('test.statement'); END $$")
        }
    }

    private static func figures(_ runtime: ServiceRuntime) -> [String: String] {
        var found: [String: String] = [:]
        for line in runtime.metrics.text.split(separator: "\n") {
            let words = line.split(separator: "\"")
            guard line.hasPrefix("backup_last_success_seconds{"), words.count == 3 else { continue }
            found[String(words[1])] = String(words[2].dropFirst(2))
        }
        return found
    }
}
