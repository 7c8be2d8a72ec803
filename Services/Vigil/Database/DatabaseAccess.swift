import Logging
package import Postgres

/// A database client for the duration of a command.
package enum DatabaseAccess {
    /// Calls `body` with a client. Turns database errors into a sentence.
    package static func with<R: Sendable>(
        connection: String, _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        let client = PostgresClient(
            PostgresConfiguration(
                connection: connection, applicationName: "vigil", maximumConnections: 2, statementTimeout: .seconds(300)
            ),
            logger: Logger(label: "vigil") { _ in SwiftLogNoOpLogHandler() })
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            switch error {
            case let error as PostgresError where error.code == .connection:
                throw CommandFailure(
                    "The database can't be reached or refuses the login (\(error)): check --connection.")
            case let error as PostgresError:
                throw CommandFailure("The database refused a step (\(error)): its own log says why.")
            // Includes the schema's own problems, which already are sentences.
            default: throw error
            }
        }
    }
}
