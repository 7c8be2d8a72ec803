import NIOCore

/// Runs a connection's tasks on the event loop that serves it.
///
/// A request then changes threads only when it waits for the database or another service, instead of at every step between the
/// loop and Swift's own pool. In return, a handler must neither block nor compute for long; blocking work has its own threads
/// (`Shared/Platform/Postgres`, file reads).
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
