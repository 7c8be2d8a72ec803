import HTTP2
import HTTPMessage
import HTTPTypes
import Loop

/// What the session reports.
extension HTTP2Wire: HTTP2SessionDelegate {
    func request(_ stream: Int32, _ head: RequestHead, ends: Bool) {
        streams += 1
        // Handlers whose streams were reset count until they end (CVE-2023-44487).
        guard owner.tasks < owner.limits.streams else { return reset(stream, .refusedStream) }
        let exchange = ServerExchange(head, stream: stream, on: owner)
        exchanges[stream] = exchange
        earliest = min(earliest, exchange.deadline)
        exchange.begin()
    }

    func refused(_ stream: Int32, _ violation: Violation) {
        streams += 1
        let answer = owner.listener.server.refusal(HTTPResponse.Status(code: violation.status))
        guard countRefusal(answer), let encoded = encode(answer, stream) else { return }
        send(encoded, stream)
    }

    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        if let exchange = exchanges[stream] {
            guard exchange.takesBody else {
                bytes.withUnsafeBufferPointer { paused[stream, default: Paused()].bytes.append(contentsOf: $0) }
                return
            }
            exchange.take(bytes, hasRoom: hasRoom)
            // What is refused isn't kept.
            if exchange.isRefused { session.release(stream, bytes.count) }
        } else {
            session.release(stream, bytes.count)
            discard(bytes.count, of: stream)
        }
    }

    /// Whether the bodies of all streams may go on.
    private var hasRoom: Bool { owner.limits.maxStreamBodyBytes.map { session.heldBytes <= $0 } ?? true }

    /// Ends a stream whose request goes on long behind its answer (RFC 9113, section 8.1).
    func discard(_ count: Int, of stream: Int32) {
        guard var state = leaving[stream] else { return }
        state.left -= count
        leaving[stream] = state
        if state.left < 0 { reset(stream, .noError) }
    }

    func end(_ stream: Int32) {
        guard let exchange = exchanges[stream] else { return }
        if paused[stream] != nil {
            paused[stream]?.hasEnded = true
        } else {
            exchange.end(arrivedAt: connection.arrived)
            earliest = min(earliest, exchange.deadline)
        }
    }

    func sent(_ stream: Int32) {
        guard session.isReceiving(stream) else { return }
        let deadline = owner.core.now + Self.discarding
        leaving[stream] = Leaving(deadline: deadline)
        earliest = min(earliest, deadline)
    }

    func closed(_ stream: Int32, _ code: HTTP2Code) {
        streams -= 1
        leaving[stream] = nil
        paused[stream] = nil
        if !encoded.contains(stream) { exchanges.removeValue(forKey: stream)?.lost() }
        wait()
    }

    /// The time of a connection without streams begins when the last one ends, and only then.
    func wait() {
        guard streams == 0, encoded.isEmpty else { return }
        idleEnd = isDraining ? owner.core.now + Self.closing : owner.headerEnd()
    }

    func pingAnswered() {
        // Streams that were on their way have arrived.
        if isDraining { session.goAway(.noError) }
    }
}
