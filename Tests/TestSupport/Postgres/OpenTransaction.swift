import Dispatch
package import Postgres

/// A transaction of another connection that stays open.
package enum OpenTransaction {
    /// Calls a body while the transaction is open. It ends when the body calls `release`, or with the body.
    /// - Parameters:
    ///   - first: its statements.
    ///   - last: its statements before it is committed.
    package static func hold(
        _ connection: String, _ first: @escaping @Sendable (Session) throws -> Void,
        then last: @escaping @Sendable (Session) throws -> Void = { _ in },
        while body: (_ release: () -> Void) async throws -> Void
    ) async throws {
        try await TestPostgres.withClient(connection) { client in
            let (held, holding) = AsyncStream.makeStream(of: Void.self)
            let release = DispatchSemaphore(value: 0)
            async let transaction: Void = client.transaction { session in
                // Also if a statement fails, so that the test ends.
                defer { holding.finish() }
                try first(session)
                holding.finish()
                release.wait()
                try last(session)
            }
            // Behind it, so that a test that fails ends it before it waits for it.
            defer { release.signal() }
            for await _ in held {}
            try await body { release.signal() }
            release.signal()
            try await transaction
        }
    }
}
