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
        /// While an HTTP/2 connection has streams, each of which has a time of its own.
        case streams
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
    private let life: TimeAmount
    /// When the connection has been waited for in vain long enough, however often it has asked.
    private var end: NIODeadline
    private var lastWait: NIODeadline
    private let channel: any Channel
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [unowned self] in
        if let ended { ended() } else { channel.close(promise: nil) }
    }

    /// - Parameters:
    ///   - idle: for a handshake, or a next request's header.
    ///   - life: for a request that is passed on, whatever else is asked for meanwhile.
    init(_ channel: any Channel, idle: TimeAmount, life: TimeAmount) {
        self.channel = channel
        self.idle = idle
        self.life = life
        lastWait = channel.eventLoop.now
        end = lastWait + life
        wait(for: .header)
    }

    /// Waits anew.
    func wait(for phase: Phase) {
        let now = channel.eventLoop.now
        lastWait = now
        switch phase {
        case .header: deadline.set(min(now + idle, end))
        case .body: deadline.set(now + Self.body)
        case .streams: deadline.set(end)
        case .draining: deadline.set(now + .milliseconds(500))
        case .closing: deadline.set(now + .seconds(2))
        }
    }

    /// The request that is being waited for is one to be passed on: the connection's life begins anew.
    func passed() {
        end = lastWait + life
    }

    /// Waits for nothing: it is not the caller's turn.
    func rest() {
        deadline.set(nil)
    }
}
