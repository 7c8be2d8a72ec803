import NIOCore
import ServiceKit

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
    }

    /// Called when it has ended; without it, the connection is closed.
    var ended: (() -> Void)?
    /// Refusals for requests that were sent without waiting for the answers to those before; then a caller is sent away.
    static let mostRefusals = 8
    /// A request's body must be here after this time.
    static let body: TimeAmount = .seconds(10)
    private let idle: TimeAmount
    private let channel: any Channel
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [unowned self] in
        if let ended { ended() } else { channel.close(promise: nil) }
    }

    /// - Parameter idle: for a handshake, or a next request's header.
    init(_ channel: any Channel, idle: TimeAmount) {
        self.channel = channel
        self.idle = idle
        wait(for: .header)
    }

    /// Waits anew.
    func wait(for phase: Phase) {
        let time: TimeAmount =
            switch phase {
            case .header: idle
            case .body: Self.body
            case .draining: .milliseconds(500)
            case .closing: .seconds(2)
            }
        deadline.set(channel.eventLoop.now + time)
    }

    /// Waits for nothing: it is not the caller's turn.
    func rest() {
        deadline.set(nil)
    }
}
