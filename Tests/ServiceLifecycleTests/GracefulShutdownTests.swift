import ServiceLifecycle
import Testing

struct GracefulShutdownTests {
    /// Runs work as the only service of a group that is told to shut down once the work says so.
    private func run(_ work: @escaping @Sendable (Signal) async throws -> Void) async throws {
        let ready = Signal()
        let group = ServiceGroup(services: [Work { try await work(ready) }], logger: quiet)
        async let run: Void = group.run()
        await ready.wait()
        await group.triggerGracefulShutdown()
        try await run
    }

    @Test("outside a group nothing is shut down: only cancellation ends the wait")
    func outside() async throws {
        let task = Task { try await gracefulShutdown() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!Task.isShuttingDownGracefully)
        #expect(await cancelWhenGracefulShutdown { 7 } == 7)
        #expect(
            await withGracefulShutdownHandler {
                8
            } onGracefulShutdown: {
            } == 8)
    }

    @Test("handlers are called once, also late ones, but not those of operations that have ended")
    func handlers() async throws {
        let record = Record()
        try await run { ready in
            await withGracefulShutdownHandler {
            } onGracefulShutdown: {
                record.add("ended")
            }
            await withGracefulShutdownHandler {
                #expect(!Task.isShuttingDownGracefully)
                ready.happened()
                try? await gracefulShutdown()
                #expect(Task.isShuttingDownGracefully)
            } onGracefulShutdown: {
                record.add("first")
            }
            await withTaskCancellationOrGracefulShutdownHandler {
            } onCancelOrGracefulShutdown: {
                record.add("late")
            }
            try await gracefulShutdown()
        }
        #expect(record.all == ["first", "late"])
    }

    @Test("cancellation calls the handler for both")
    func cancellation() async {
        let record = Record()
        let task = Task {
            await withTaskCancellationOrGracefulShutdownHandler {
                try? await gracefulShutdown()
            } onCancelOrGracefulShutdown: {
                record.add("called")
            }
        }
        task.cancel()
        await task.value
        #expect(record.all == ["called"])
    }

    @Test("a shutdown cancels the operation, and its outcome counts")
    func cancels() async throws {
        let record = Record()
        try await run { ready in
            let outcome = await cancelWhenGracefulShutdown {
                ready.happened()
                try? await Task.sleep(for: .seconds(3600))
                return Task.isCancelled ? "cancelled" : "slept"
            }
            record.add(outcome)
            // And one that begins too late is cancelled at once.
            await cancelWhenGracefulShutdown {
                do { try await Task.sleep(for: .seconds(3600)) } catch { record.add("late") }
            }
            #expect(!Task.isCancelled)
        }
        #expect(record.all == ["cancelled", "late"])
    }

    @Test("an operation that ends or throws by itself ends the wait")
    func ends() async throws {
        try await run { ready in
            #expect(await cancelWhenGracefulShutdown { 7 } == 7)
            await #expect(throws: Broken(name: "a")) {
                try await cancelWhenGracefulShutdown { () async throws(Broken) in throw Broken(name: "a") }
            }
            ready.happened()
            try await gracefulShutdown()
        }
    }
}
