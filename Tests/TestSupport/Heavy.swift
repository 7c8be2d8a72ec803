import Foundation
import Synchronization
package import Testing

/// A test that computes for long runs on threads beside those of all others.
///
/// Otherwise a few such tests hold all the threads that Swift's tasks share, as many as the machine has cores, and whatever
/// has a deadline meanwhile is late: a service that is called, a proxy that owes an answer.
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
    /// For tests that compute for more than some tenths of a second without waiting for anything.
    package static var heavy: Self { Heavy() }
}

/// As many threads as the machine has cores. They have the priority of all others: the threads that they start would inherit a
/// lower one, and those serve other tests, too.
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
