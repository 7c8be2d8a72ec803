import NIOCore
import NIOHPACK
import NIOHTTP2

/// A stream of HTTP/2: one request and its answer.
final class HTTP2Caller: ChannelInboundHandler, Caller {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum State {
        case idle
        case receiving(Exchange)
        /// The answer is clear, the rest of the request not yet here. So many bytes of it are waited for.
        case refusing(Answer, left: Int)
        case answering(Exchange)
        case closing
    }

    private let shared: ProxyLoop
    private let connection: HTTP2Connection
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// For the stream; nil if there was none left.
    private var memory: BytesInFlight.Share?
    /// Of the request's body, as the connection counts them.
    private var bodyBytes = 0
    /// From then on the answer belongs to the connection: for HTTP/2 it is written, and the stream has ended.
    private var isEncoded = false

    init(_ shared: ProxyLoop, on connection: HTTP2Connection) {
        self.shared = shared
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        memory = shared.bytesInFlight.share(BytesInFlight.perStream, for: connection.prefix)
        connection.streamOpened()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        memory = nil
        connection.bodyBytes -= bodyBytes
        connection.streamClosed()
    }

    // MARK: The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            if case .idle = state { take(frame.headers, context) }
            if frame.endStream { end() }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { take(bytes, context) }
            if frame.endStream { end() }
        default:
            break
        }
    }

    private func take(_ headers: HPACKHeaders, _ context: ChannelHandlerContext) {
        guard memory != nil else { return refuse(.unavailable) }
        connection.begins(self)
        let admission = shared.admit(
            headers.first(name: ":method") ?? "", headers.first(name: ":path") ?? "", from: connection.prefix,
            to: self
        ) { take in for field in headers { take(field.name, field.value) } }
        switch admission {
        case .admitted(let exchange):
            state = .receiving(exchange)
            connection.passes()
        case .refused(let answer): state = .refusing(answer, left: 256 << 10)
        }
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        switch state {
        case .receiving(let exchange):
            bodyBytes += bytes.readableBytes
            connection.bodyBytes += bytes.readableBytes
            let isTooMuch = connection.bodyBytes > connection.mostBodyBytes
            guard let refusal = isTooMuch ? .unavailable : exchange.receive(bytes) else { return }
            exchange.abandon()
            state = .refusing(refusal, left: 256 << 10)
        case .refusing(let answer, let left):
            state = .refusing(answer, left: left - bytes.readableBytes)
            if left < bytes.readableBytes { refuse(answer) }
        case .idle, .answering, .closing:
            break
        }
    }

    private func end() {
        connection.ends(self)
        switch state {
        case .receiving(let exchange):
            // One that is refused stays its part of the net's, until its stream is gone.
            memory?.finish()
            state = .answering(exchange)
            exchange.arrived(at: connection.clock.moment)
        case .refusing(let answer, _):
            refuse(answer)
        case .idle, .answering, .closing:
            break
        }
    }

    // MARK: The answer

    func encoded(_ answer: Answer) -> ByteBuffer? {
        guard let context, let headers = try? shared.encoder.http2(answer) else { return nil }
        isEncoded = true
        return connection.gate.collect {
            context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
            context.writeAndFlush(
                wrapOutboundOut(.data(.init(data: .byteBuffer(answer.body), endStream: true))), promise: nil)
        }
    }

    func release(_ bytes: ByteBuffer) {
        state = .closing
        connection.gate.release(bytes)
    }

    /// Refuses, after what is being read has been read: HTTP/2 flushes nothing before.
    private func refuse(_ answer: Answer) {
        state = .closing
        connection.ends(self)
        guard !answer.isCallersFault || connection.mayRefuse() else {
            // The connection ends; what the stream takes is given back before.
            memory = nil
            shared.loop.assumeIsolated().execute { self.context?.close(promise: nil) }
            return
        }
        shared.loop.assumeIsolated().execute {
            guard let bytes = self.encoded(answer) else { return }
            self.connection.gate.release(bytes, taken: answer.isCallersFault ? self.connection.refusalTaken : nil)
            // Ends a stream whose request isn't; one that has ended is gone already.
            self.context?.close(promise: nil)
        }
    }

    // MARK: Ends

    /// The caller has taken too long.
    func patienceEnded() {
        switch state {
        case .receiving(let exchange):
            exchange.abandon()
            shared.count(.refusal(408))
            refuse(.refusal(408))
        case .refusing(let answer, _):
            refuse(answer)
        case .idle, .answering, .closing:
            context?.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ends(self)
        switch state {
        case .receiving(let exchange), .answering(let exchange): if !isEncoded { exchange.abandon() }
        case .idle, .refusing, .closing: break
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
