import FoundationEssentials
import Glibc
package import Logging
package import Postgres

/// A real PostgreSQL server for tests, with a new database for each.
///
/// `VIGIL_TEST_POSTGRES` names the server: a libpq connection string of the form `host=… port=… user=…`, for a role that may
/// create databases. Suites that need it declare `.enabled(if: TestPostgres.isAvailable, "…")`. Without the variable they are
/// skipped, unless `VIGIL_REQUIRE_POSTGRES=1`: then they run and fail.
package enum TestPostgres {
    /// What is wrong with the environment.
    package struct Unavailable: Error, CustomStringConvertible {
        /// Shown with the failure.
        package let description = "VIGIL_TEST_POSTGRES is not set, and VIGIL_REQUIRE_POSTGRES=1 forbids to skip"
    }

    /// Whether tests that need a server should run.
    package static var isAvailable: Bool {
        server != nil || ProcessInfo.processInfo.environment["VIGIL_REQUIRE_POSTGRES"] == "1"
    }

    /// Calls `body` with the connection string of a new, empty database, which is dropped afterwards.
    package static func withDatabase<R: Sendable>(_ body: (String) async throws -> R) async throws -> R {
        // Nobody can connect to template0, so it can always be copied.
        try await withCopy(of: Identifier("template0"), body)
    }

    /// Calls `body` with the connection string of a new database, copied from a template and dropped afterwards.
    ///
    /// `prepare` fills the template once per process; `name` is a lower-case word that identifies what it does.
    package static func withDatabase<R: Sendable>(
        template name: String, prepare: @Sendable (PostgresClient) async throws -> Void,
        _ body: (String) async throws -> R
    ) async throws -> R {
        let template = try await templates.template(name) { template in
            try await create(template, from: Identifier("template0"))
            try await withClient(try connection(to: template)) { try await prepare($0) }
        }
        return try await withCopy(of: template, body)
    }

    /// Calls `body` with a new client, which is closed afterwards.
    package static func withClient<R: Sendable>(
        _ connection: String, maximumConnections: Int = 4, _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        try await withClient(
            PostgresConfiguration(
                connection: connection, applicationName: "test", maximumConnections: maximumConnections,
                acquireDeadline: .seconds(30)), body)
    }

    /// Calls `body` with a new client, which is closed afterwards.
    package static func withClient<R: Sendable>(
        _ configuration: PostgresConfiguration, logger: Logger = Logger(label: "test"),
        _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        let client = PostgresClient(configuration, logger: logger)
        let result: Result<R, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await client.close()
        return try result.get()
    }

    private static let server = ProcessInfo.processInfo.environment["VIGIL_TEST_POSTGRES"]
    private static let templates = Templates()
    /// Creates and drops databases; lives as long as the process.
    ///
    /// Copying takes a moment and all tests ask at once, so its timeouts are long.
    private static let administrator = server.map { server in
        PostgresClient(
            PostgresConfiguration(
                connection: server, applicationName: "test-administrator", maximumConnections: 2,
                maximumWaiters: 10_000, acquireDeadline: .seconds(300), connectTimeout: .seconds(30),
                statementTimeout: .seconds(120)),
            logger: Logger(label: "test-administrator"))
    }

    private static func withCopy<R: Sendable>(
        of template: Identifier, _ body: (String) async throws -> R
    ) async throws -> R {
        let database = try name("test")
        try await create(database, from: template)
        let result: Result<R, any Error>
        do {
            result = .success(try await body(try connection(to: database)))
        } catch {
            result = .failure(error)
        }
        try await administrate("DROP DATABASE \(identifier: database) WITH (FORCE)")
        return try result.get()
    }

    private static func create(_ database: Identifier, from template: Identifier) async throws {
        // The server waits some seconds for sessions on the template to end.
        try await administrate("CREATE DATABASE \(identifier: database) TEMPLATE \(identifier: template)")
    }

    private static func administrate(_ statement: SQL) async throws {
        guard let administrator else { throw Unavailable() }
        _ = try await administrator.session { try $0.execute(statement) }
    }

    private static func connection(to database: Identifier) throws -> String {
        guard let server else { throw Unavailable() }
        return "\(server) dbname=\(database)"
    }

    /// A name that no other process and no other test uses.
    fileprivate static func name(_ kind: String) throws -> Identifier {
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        guard let name = Identifier(validating: "\(kind)_\(getpid())_\(random)") else { throw BadName() }
        return name
    }

    private struct BadName: Error {}
}

/// The templates of this process. The first caller prepares a template; the others wait for it.
private actor Templates {
    private enum State {
        case preparing(waiting: [CheckedContinuation<Void, Never>])
        case ready(Identifier)
    }

    private var states: [String: State] = [:]

    func template(_ name: String, prepare: (Identifier) async throws -> Void) async throws -> Identifier {
        while case .preparing(let waiting) = states[name] {
            await withCheckedContinuation { states[name] = .preparing(waiting: waiting + [$0]) }
        }
        if case .ready(let template) = states[name] { return template }
        states[name] = .preparing(waiting: [])
        do {
            let template = try TestPostgres.name("template_\(name)")
            try await prepare(template)
            finish(name, with: .ready(template))
            return template
        } catch {
            // Each waiting caller tries itself, and fails with its own reason.
            finish(name, with: nil)
            throw error
        }
    }

    private func finish(_ name: String, with state: State?) {
        guard case .preparing(let waiting) = states[name] else { return }
        states[name] = state
        for continuation in waiting { continuation.resume() }
    }
}
