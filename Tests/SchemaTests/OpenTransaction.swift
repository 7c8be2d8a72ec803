import Dispatch
import Postgres
import TestSupport

/// A transaction of another connection that stays open.
enum OpenTransaction {
    /// Calls a body while the transaction is open. It ends when the body calls `release`, or with the body.
    /// - Parameters:
    ///   - first: its statements.
    ///   - last: its statements before it is committed.
    static func hold(
        _ first: Script, then last: Script = "SELECT 1", _ connection: String,
        _ body: (_ release: () -> Void) async throws -> Void
    ) async throws {
        try await TestPostgres.withClient(connection) { client in
            let (held, holding) = AsyncStream.makeStream(of: Void.self)
            let release = DispatchSemaphore(value: 0)
            async let transaction: Void = client.transaction { session in
                try session.script(first)
                holding.finish()
                release.wait()
                try session.script(last)
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
