import Synchronization

/// One caller's request for a connection: what it does with the connection, and how it receives the outcome.
///
/// Exactly one of `perform` and `reject` is called, once.
final class Job: Sendable, Identifiable {
    private let isCancelled: CancellationMark
    /// Uses the connection, and returns what resumes the caller: the connection returns to the pool first.
    let perform: @Sendable (Connection) -> @Sendable () -> Void
    let reject: @Sendable (any Error) -> Void

    init(
        mark: CancellationMark, perform: @escaping @Sendable (Connection) -> @Sendable () -> Void,
        reject: @escaping @Sendable (any Error) -> Void
    ) {
        isCancelled = mark
        self.perform = perform
        self.reject = reject
    }

    /// The identity of the cancellation mark, which exists before the job does.
    var id: ObjectIdentifier { ObjectIdentifier(isCancelled) }

    /// Whether the task was cancelled before the job was queued.
    var wasCancelled: Bool { isCancelled.isSet }
}

/// A mark that is set when a caller's task is cancelled, before, while or after its job is queued.
final class CancellationMark: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() {
        flag.store(true, ordering: .releasing)
    }
}
