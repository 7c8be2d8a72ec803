import Synchronization

/// One caller's wish for a connection: what it does with it, and how it hears of the outcome.
///
/// Exactly one of `perform` and `refuse` is called, once.
final class Job: Sendable, Identifiable {
    private let isCancelled: CancellationMark
    /// Uses the connection, and returns what tells the caller: the connection is given back before the caller goes on.
    let perform: @Sendable (Connection) -> @Sendable () -> Void
    let refuse: @Sendable (any Error) -> Void

    init(
        mark: CancellationMark, perform: @escaping @Sendable (Connection) -> @Sendable () -> Void,
        refuse: @escaping @Sendable (any Error) -> Void
    ) {
        isCancelled = mark
        self.perform = perform
        self.refuse = refuse
    }

    /// The mark's identity, since it exists before the job does.
    var id: ObjectIdentifier { ObjectIdentifier(isCancelled) }

    /// Whether the task was cancelled before the job got in line.
    var wasCancelled: Bool { isCancelled.isSet }
}

/// Set when a caller's task is cancelled, which may be before, while or after its job gets in line.
final class CancellationMark: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() {
        flag.store(true, ordering: .releasing)
    }
}
