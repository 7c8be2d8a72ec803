import Synchronization

/// Holds a task until a test opens the gate; cancellation doesn't open it.
package final class Gate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    package init() {}

    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    package func open() {
        let waiting = state.withLock { state in
            defer { state = .open }
            guard case .closed(let waiting) = state else { return [CheckedContinuation<Void, Never>]() }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
