import Foundation
import Synchronization
package import Testing

/// Runs a long computation on threads that other tests don't share.
///
/// Otherwise a few such tests occupy Swift's whole thread pool, which has one thread per core, and everything else with a
/// deadline is late: a service under call, a proxy that owes an answer.
package struct Heavy: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(ThreadsOfTheirOwn.shared, operation: function)
    }
}

extension Trait where Self == Heavy {
    /// For tests that compute for more than some tenths of a second without suspending.
    package static var heavy: Self { Heavy() }
}

/// One thread per core, at the normal priority.
///
/// Threads started by these would inherit a lower one, and they serve other tests, too.
private final class ThreadsOfTheirOwn: TaskExecutor {
    static let shared = ThreadsOfTheirOwn()

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            Thread { [self] in
                while true {
                    waiting.wait()
                    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    job?.runSynchronously(on: asUnownedTaskExecutor())
                }
            }.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }
}
