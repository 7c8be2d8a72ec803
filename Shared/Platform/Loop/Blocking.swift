internal import CLinux
internal import Glibc
internal import Synchronization

/// Threads for calls that block: names, files, compression.
///
/// A core must never wait. At most ``threads`` calls run at one time; the others wait, each with a suspended task, whose number its
/// caller limits.
package enum Blocking {
    static let threads = 16

    /// Runs `work` on one of the threads. It isn't cancelled once it waits: what it does must end by itself.
    package static func run<R: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<R, E>, Never>) in
            start { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    /// Runs `work` on one of the threads, and doesn't wait for it.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        Workers.shared.add(work)
    }
}

/// `@unchecked Sendable`: the mutex guards everything that changes.
private final class Workers: @unchecked Sendable {
    static let shared = Workers()

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [@Sendable () -> Void] = []
    /// The index of the next work in `waiting`.
    private var first = 0
    private var started = 0
    private var idle = 0

    private init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        waiting.append(work)
        if idle >= waiting.count - first {
            pthread_cond_signal(condition)
        } else if started < Blocking.threads, startThread() {
            started += 1
        } else {
            guard started > 0 else { endProcess(because: "no thread for blocking calls") }
            pthread_cond_signal(condition)
        }
    }

    private func startThread() -> Bool {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { _ in
                Workers.shared.work()
                return nil
            }, nil)
        if status == 0 { pthread_detach(thread) }
        return status == 0
    }

    private func work() {
        while true { next()() }
    }

    private func next() -> @Sendable () -> Void {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        idle += 1
        while first == waiting.count { pthread_cond_wait(condition, mutex) }
        idle -= 1
        let work = waiting[first]
        first += 1
        if first == waiting.count || first > 1024 {
            waiting.removeFirst(first)
            first = 0
        }
        return work
    }
}
