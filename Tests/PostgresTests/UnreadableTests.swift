import CLibPQ
import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite(
    "Sockets that can't be read", .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"),
    .timeLimit(.minutes(1)))
struct UnreadableTests {
    @Test("a connection whose answers can't be read is given up at once, although libpq doesn't take it for broken")
    func unreadable() async throws {
        try await TestPostgres.withDatabase { database in
            let connection = try Connection(PostgresConfiguration(connection: database, applicationName: "test"))
            _ = try connection.command("SELECT 1")
            // It is always ready, and no socket: reading fails with an error that libpq doesn't know.
            let null = open("/dev/null", O_RDWR)
            dup2(null, PQsocket(connection.handle))
            close(null)
            #expect(throws: PostgresError.self) { _ = try connection.command("SELECT 1") }
            #expect(connection.isBroken)
        }
    }
}
