import CLinux
import Glibc
import Synchronization

/// The write end of the pipe of ``SignalTrap``, for the handler; set once, before a handler is installed.
nonisolated(unsafe) private var pipeForHandler: Int32 = -1

/// Passes signals on from their handler, where next to nothing is allowed (signal-safety(7)), to a thread that reads
/// their numbers from a pipe.
///
/// `signalfd` would need every thread of the process to block the signals, also those that Swift's runtime has
/// already started.
final class SignalTrap: Sendable {
    static let shared = SignalTrap()

    private struct Listener {
        let signals: Set<UnixSignal>
        let receive: @Sendable (UnixSignal) -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var trapped: Set<UnixSignal> = []
    }

    private let state = Mutex(State())

    private init() {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { preconditionFailure("no pipe for signals: error \(errno)") }
        // The handler must never wait. A full pipe already holds thousands of signals, so that losing one is harmless.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        pipeForHandler = ends[1]
        let reader = ends[0]
        Self.startThread { self.deliver(from: reader) }
    }

    /// Calls `receive` for each of the signals, on the thread of the trap, until the listener is removed.
    func add(_ signals: Set<UnixSignal>, _ receive: @escaping @Sendable (UnixSignal) -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = Listener(signals: signals, receive: receive)
            for signal in signals.subtracting(state.trapped) { Self.install(signal) }
            state.trapped.formUnion(signals)
            return state.next
        }
    }

    func remove(_ listener: Int) {
        _ = state.withLock { $0.listeners.removeValue(forKey: listener) }
    }

    private func deliver(from pipe: Int32) {
        var number: UInt8 = 0
        while true {
            guard read(pipe, &number, 1) == 1 else {
                if errno == EINTR { continue }
                return
            }
            let receivers = state.withLock { state in
                state.trapped.first { $0.number == Int32(number) }.map { signal in
                    state.listeners.values.filter { $0.signals.contains(signal) }.map { ($0.receive, signal) }
                }
            }
            for (receive, signal) in receivers ?? [] { receive(signal) }
        }
    }

    private static func install(_ signal: UnixSignal) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(pipeForHandler, &byte, 1)
            errno = saved
        }
        action.sa_flags = SA_RESTART
        sigaction(signal.number, &action, nil)
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        final class Body: Sendable {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Body(body))
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard failure == 0 else { preconditionFailure("no thread for signals: error \(failure)") }
        pthread_detach(thread)
    }
}
