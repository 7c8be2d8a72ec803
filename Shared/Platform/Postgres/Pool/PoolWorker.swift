import Dispatch
import Synchronization

/// A thread that executes the pool's orders, one at a time.
///
/// libpq blocks, so it may run neither on the cooperative threads of Swift's concurrency nor on an event loop. The thread starts
/// with the first order.
final class PoolWorker<Order: Sendable>: Sendable {
    private struct State {
        var isStarted = false
        var order: Order?
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    /// Gives an order.
    ///
    /// The previous one must have been taken, or be obsolete. `body` is the thread's body if it has to be started: it takes
    /// orders until one says stop.
    func send(_ order: Order, body: @escaping @Sendable (PoolWorker<Order>) -> Void) {
        let mustStart = state.withLock { state in
            state.order = order
            defer { state.isStarted = true }
            return !state.isStarted
        }
        arrived.signal()
        if mustStart { startThread { [self] in body(self) } }
    }

    /// Waits for the next order. To be called on the worker's thread only.
    func take() -> Order {
        while true {
            arrived.wait()
            if let order = takeNow() { return order }
        }
    }

    /// Waits for the next order, at most for the given time.
    func take(within limit: Duration) -> Order? {
        let (seconds, attoseconds) = limit.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = arrived.wait(timeout: .now() + .nanoseconds(nanoseconds))
        return takeNow()
    }

    private func takeNow() -> Order? {
        state.withLock { $0.order.take() }
    }
}
