package import HTTPContract
import HTTPTypes
package import Postgres
package import Running

/// Opens a service's database.
package enum ServiceDatabase {
    /// A client for the service's own role.
    ///
    /// It is configured by `postgres.connection` (a libpq connection string) and `postgres.maximumConnections` (2...200,
    /// default 8; a job holds one while it works with another).
    package static func client(for runtime: ServiceRuntime) throws -> PostgresClient {
        let settings = runtime.configuration
        return PostgresClient(
            PostgresConfiguration(
                connection: try settings.string("postgres.connection"), applicationName: runtime.name,
                maximumConnections: try settings.int("postgres.maximumConnections", default: 8, in: 2...200)),
            logger: runtime.logger)
    }

    /// Runs a command's work with a client, whose schema is the one that this program needs, and closes it.
    package static func once<Result>(
        for runtime: ServiceRuntime, of schema: Schema, _ work: (PostgresClient) async throws -> Result
    ) async throws -> Result {
        let database = try client(for: runtime)
        let result: Swift.Result<Result, any Error>
        do {
            try await schema.check(database)
            result = .success(try await work(database))
        } catch {
            result = .failure(error)
        }
        await database.close()
        return try result.get()
    }

    /// Ready if the database answers.
    package static func readiness(of client: PostgresClient) -> ReadinessCheck {
        ReadinessCheck("postgres") { await client.isHealthy() }
    }
}

/// Its description has no data, so it may be logged and shown to an operator.
extension PostgresError: OperatorProblem {}

extension LostLead: OperatorProblem {}

/// A database that is down or overloaded is a 503; any other error is a defect of this program.
extension PostgresError: ProblemConvertible {
    package var problem: Problem { isUnavailable ? .unavailable : Problem(.internalServerError) }
}
