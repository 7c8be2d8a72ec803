import NIOCore
import Serving

/// The timeouts of one connection: for its handshake, its next header, a body, its end.
///
/// Without them, clients that open connections and send nothing, or one byte at a time, would occupy them all.
final class ConnectionTimeouts {
    enum Phase {
        /// From the start of the connection, or the last answer, to the end of the next header.
        case header
        case body
        /// While an HTTP/2 connection has streams; each has a timeout of its own.
        case streams
        /// While the listener shuts down: one more request may arrive.
        case draining
        /// Until the client has closed as well.
        case closing
    }

    /// Called when a timeout expires; without it, the connection is closed.
    var expired: (() -> Void)?
    /// How many requests that were sent without waiting for the previous answers are refused before the connection is
    /// closed.
    static let maxRefusals = 8
    /// The timeout of a request's body.
    static let body: TimeAmount = .seconds(10)
    private let idle: TimeAmount
    private let life: TimeAmount
    /// When the connection ends unless a request is admitted, however many are sent.
    private var end: NIODeadline
    private var lastStart: NIODeadline
    private let channel: any Channel
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [unowned self] in
        if let expired { expired() } else { channel.close(promise: nil) }
    }

    /// - Parameters:
    ///   - idle: for a handshake, or the header of the next request.
    ///   - life: for a request that is admitted, however many are refused meanwhile.
    init(_ channel: any Channel, idle: TimeAmount, life: TimeAmount) {
        self.channel = channel
        self.idle = idle
        self.life = life
        lastStart = channel.eventLoop.now
        end = lastStart + life
        start(.header)
    }

    /// Starts the timeout of a phase, in place of the current one.
    func start(_ phase: Phase) {
        let now = channel.eventLoop.now
        lastStart = now
        switch phase {
        case .header: deadline.set(min(now + idle, end))
        case .body: deadline.set(now + Self.body)
        case .streams: deadline.set(end)
        case .draining: deadline.set(now + .milliseconds(500))
        case .closing: deadline.set(now + .seconds(2))
        }
    }

    /// Restarts the connection's lifetime, because a request is admitted.
    func renewLife() {
        end = lastStart + life
    }

    /// Stops the timeout while the proxy, not the client, has to act.
    func pause() {
        deadline.set(nil)
    }
}
