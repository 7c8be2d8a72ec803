package import NIOCore

/// Runs tasks on an event loop: those of a connection on the one that serves it.
///
/// A request then changes threads only when it waits for the database or another service, instead of at every step between the
/// loop and Swift's own pool. In return, a task must neither block nor compute for long; blocking work has its own threads
/// (`Shared/Platform/Postgres`, file reads).
package final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// Tasks run when the loop has nothing earlier to do.
    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Appends a job to the loop's.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
