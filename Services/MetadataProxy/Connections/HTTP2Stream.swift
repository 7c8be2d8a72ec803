import NIOCore
import NIOHPACK
import NIOHTTP2

/// A stream of HTTP/2: one request and its answer.
final class HTTP2Stream: ChannelInboundHandler, AnswerOutlet {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum State {
        case idle
        /// ``request`` is being received.
        case receiving
        /// The refusal is known; this many bytes of the rest of the request are still read.
        case refusing(Answer, left: Int)
        case answering(PendingAnswer)
        case closing
    }

    private let shared: ProxyLoop
    private let connection: HTTP2Connection
    private var context: ChannelHandlerContext?
    private var state = State.idle
    private var request: AppRequest?
    /// The memory of the stream; nil if none was left.
    private var memory: BytesInFlight.Share?
    /// The part of the connection's ``HTTP2Connection/bodyBytes`` that this stream accounts for.
    private var bodyBytes = 0
    /// From then on the answer belongs to the connection: for the library it is written, and the stream has ended.
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
            if case .idle = state { take(frame.headers) }
            if frame.endStream { end() }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { take(bytes) }
            if frame.endStream { end() }
        default:
            break
        }
    }

    private func take(_ headers: HPACKHeaders) {
        guard memory != nil else { return refuse(.unavailable) }
        connection.requestBegan(self)
        do {
            request = try AppRequest.admit(
                headers.first(name: ":method") ?? "", headers.first(name: ":path") ?? "", from: connection.prefix,
                on: shared, forEachField: { take in for field in headers { take(field.name, field.value) } })
            state = .receiving
            connection.requestAdmitted()
        } catch {
            state = .refusing(error.answer, left: AppListener.maxDiscardedBytes)
        }
    }

    private func take(_ bytes: ByteBuffer) {
        switch state {
        case .receiving:
            bodyBytes += bytes.readableBytes
            connection.bodyBytes += bytes.readableBytes
            let isTooMuch = connection.bodyBytes > connection.maxBodyBytes
            guard let refusal = isTooMuch ? .unavailable : request?.receive(bytes) ?? nil else { return }
            request = nil
            state = .refusing(refusal, left: AppListener.maxDiscardedBytes)
        case .refusing(let answer, let left):
            state = .refusing(answer, left: left - bytes.readableBytes)
            if left < bytes.readableBytes { refuse(answer) }
        case .idle, .answering, .closing:
            break
        }
    }

    private func end() {
        connection.requestEnded(self)
        switch state {
        case .receiving:
            guard let request = request.take() else { return }
            // The memory of a refused stream counts for its address prefix until the stream is closed.
            memory?.finish()
            state = .answering(
                ProxyExchange.begin(request, arrivedAt: connection.clock.moment, for: self, on: shared))
        case .refusing(let answer, _):
            refuse(answer)
        case .idle, .answering, .closing:
            break
        }
    }

    // MARK: Its answer

    func encode(_ answer: Answer) -> ByteBuffer? {
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

    /// Refuses after the current read: HTTP/2 flushes nothing before its end.
    private func refuse(_ answer: Answer) {
        state = .closing
        connection.requestEnded(self)
        guard !answer.isCallersFault || connection.mayRefuse() else {
            // The connection ends; the stream's memory is returned before that.
            memory = nil
            shared.loop.assumeIsolated().execute { self.context?.close(promise: nil) }
            return
        }
        shared.loop.assumeIsolated().execute {
            guard let bytes = self.encode(answer) else { return }
            self.connection.gate.release(
                bytes, written: answer.isCallersFault ? self.connection.refusalWritten : nil)
            // Ends a stream whose request isn't complete; otherwise the stream has already gone.
            self.context?.close(promise: nil)
        }
    }

    // MARK: The stream ends

    /// The request took too long.
    func timedOut() {
        switch state {
        case .receiving:
            request = nil
            shared.count(.refusal(408))
            refuse(.refusal(408))
        case .refusing(let answer, _):
            refuse(answer)
        case .idle, .answering, .closing:
            context?.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.requestEnded(self)
        request = nil
        if case .answering(let answer) = state, !isEncoded { answer.abandon() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
