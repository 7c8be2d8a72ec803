import NIOCore

/// How long a connection is waited for: with its handshake, its next header, its body, its end.
///
/// Without it, whoever opens connections and says nothing, or says it a byte at a time, would use them all up.
final class CallerPatience {
    enum Phase {
        /// From the connection, or the last answer, to the end of the next header.
        case header
        case body
        /// The caller's last chance for a request, when the listener is about to end.
        case draining
        /// Until the caller has closed, too.
        case closing

        var time: TimeAmount {
            switch self {
            case .header, .body: .seconds(10)
            case .draining: .milliseconds(500)
            case .closing: .seconds(2)
            }
        }
    }

    /// Called when it has ended; without it, the connection is closed.
    var ended: (() -> Void)?
    private let channel: any Channel
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [unowned self] in
        if let ended { ended() } else { channel.close(promise: nil) }
    }

    init(_ channel: any Channel) {
        self.channel = channel
        wait(for: .header)
    }

    /// Waits anew.
    func wait(for phase: Phase) {
        deadline.set(channel.eventLoop.now + phase.time)
    }

    /// Waits for nothing: it is not the caller's turn.
    func rest() {
        deadline.set(nil)
    }
}
