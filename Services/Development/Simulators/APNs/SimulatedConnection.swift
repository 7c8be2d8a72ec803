import FoundationEssentials
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One connection of the simulated service, frame by frame, so that it can misbehave in any way.
final class SimulatedConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let service: SimulatedAPNs
    private var memory: ConnectionMemory
    private var context: ChannelHandlerContext?
    /// Incomplete requests.
    private var arriving: [HTTP2StreamID: Arriving] = [:]
    /// Unanswered requests.
    private var waiting: Set<HTTP2StreamID> = []
    private var answers: CircularBuffer<Due> = []
    private var isTimerSet = false
    private var limit: Int
    private var mostStreams = 0
    /// Bytes of bodies for which no window update was sent yet.
    private var consumed = 0
    /// The last processed stream; newer streams are ignored once it is set.
    private var lastStream: HTTP2StreamID?

    private struct Arriving {
        let headers: HPACKHeaders
        var body: ByteBuffer
    }

    private struct Due {
        let stream: HTTP2StreamID
        let answer: SimulatedAnswer
        let push: PushCheck.Push?
        let moment: NIODeadline
    }

    /// - Parameter hasCertificate: whether the client has one; otherwise it starts with one stream.
    init(_ service: SimulatedAPNs, hasCertificate: Bool) {
        self.service = service
        memory = ConnectionMemory(hasCertificate: hasCertificate)
        limit = Self.initialLimit(service, hasCertificate: hasCertificate)
    }

    /// The initial stream limit.
    static func initialLimit(_ service: SimulatedAPNs, hasCertificate: Bool) -> Int {
        hasCertificate ? service.rules.streams : 1
    }

    // MARK: Events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        service.opened()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let stream = frame.streamID
        if stream != .rootStream, let lastStream, stream > lastStream { return }
        switch frame.payload {
        case .headers(let headers):
            begin(stream, headers.headers)
            if headers.endStream { complete(stream) }
        case .data(let data):
            if case .byteBuffer(var bytes) = data.data {
                let length = bytes.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
                giveRoom(for: length, on: data.endStream ? nil : stream)
                arriving[stream]?.body.writeBuffer(&bytes)
            }
            if data.endStream { complete(stream) }
        case .rstStream:
            arriving[stream] = nil
            waiting.remove(stream)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The library answers stream errors; others end the connection.
        if !(error is NIOHTTP2Errors.StreamError) { context.close(promise: nil) }
    }

    // MARK: Requests

    /// At this level the library leaves window updates to us.
    ///
    /// - Parameter stream: nil if it sends no more.
    private func giveRoom(for length: Int, on stream: HTTP2StreamID?) {
        if let stream, length > 0 { send(stream, .windowUpdate(windowSizeIncrement: length)) }
        consumed += length
        guard consumed >= 16_384 else { return }
        send(.rootStream, .windowUpdate(windowSizeIncrement: consumed))
        consumed = 0
    }

    private func begin(_ stream: HTTP2StreamID, _ headers: HPACKHeaders) {
        guard waiting.count + arriving.count < limit else {
            service.refusedStream()
            send(stream, .rstStream(.refusedStream))
            return
        }
        arriving[stream] = Arriving(headers: headers, body: ByteBuffer())
        guard waiting.count + arriving.count > mostStreams else { return }
        mostStreams = waiting.count + arriving.count
        service.mostStreams(mostStreams)
    }

    private func complete(_ stream: HTTP2StreamID) {
        guard let request = arriving.removeValue(forKey: stream) else { return }
        waiting.insert(stream)
        let judged = service.judge(request.headers, request.body, &memory)
        let delay = TimeAmount(judged.delay)
        if delay > .zero, case .reply = judged.answer, let context {
            answers.append(
                Due(
                    stream: stream, answer: judged.answer, push: judged.push, moment: context.eventLoop.now + delay))
            setTimer()
        } else {
            carryOut(judged.answer, stream, judged.push)
        }
    }

    /// Delayed answers are sent in their order.
    private func setTimer() {
        guard !isTimerSet, let first = answers.first, let context else { return }
        isTimerSet = true
        context.eventLoop.assumeIsolated().scheduleTask(deadline: first.moment) { [weak self] in
            guard let self else { return }
            isTimerSet = false
            guard let context = self.context else { return }
            while let due = answers.first, due.moment <= context.eventLoop.now {
                answers.removeFirst()
                carryOut(due.answer, due.stream, due.push)
            }
            context.flush()
            setTimer()
        }
    }

    private func carryOut(_ answer: SimulatedAnswer, _ stream: HTTP2StreamID, _ push: PushCheck.Push?) {
        guard waiting.contains(stream) else { return }
        switch answer {
        case .reply(let status, let reason, let timestamp, let retryAfter):
            waiting.remove(stream)
            reply(stream, status, reason, timestamp, retryAfter, push)
            closeIfDone()
        case .silence: break
        case .reset(let code):
            waiting.remove(stream)
            send(stream, .rstStream(HTTP2ErrorCode(networkCode: Int(code))))
        case .goAway(let goAway): sendGoAway(goAway, stream, push)
        case .hangUp: context?.close(promise: nil)
        }
    }

    // MARK: Answers

    private func reply(
        _ stream: HTTP2StreamID, _ status: Int, _ reason: String?, _ timestamp: Date?, _ retryAfter: Int?,
        _ push: PushCheck.Push?
    ) {
        var headers = HPACKHeaders([(":status", String(status))])
        if let id = push?.id { headers.add(name: "apns-id", value: id, indexing: .nonIndexable) }
        if let retryAfter { headers.add(name: "retry-after", value: String(retryAfter)) }
        guard status != 200 else {
            send(stream, .headers(.init(headers: headers, endStream: true)))
            setLimit(service.count(accepted: push))
            return
        }
        headers.add(name: "content-type", value: "application/json")
        send(stream, .headers(.init(headers: headers)))
        let body = ByteBuffer(string: Self.json(reason, timestamp))
        send(stream, .data(.init(data: .byteBuffer(body), endStream: true)))
        service.count(rejection: reason ?? "")
        if (400..<500).contains(status), lastStream == nil {
            setLimit(1)
            if service.rules.refusesInFlight { refuseInFlight() }
        }
    }

    private static func json(_ reason: String?, _ timestamp: Date?) -> String {
        let time = timestamp.map { #","timestamp":\#(Int(($0.timeIntervalSince1970 * 1000).rounded()))"# } ?? ""
        return reason.map { #"{"reason":"\#($0)"\#(time)}"# } ?? ""
    }

    private func setLimit(_ streams: Int) {
        guard limit != streams else { return }
        limit = streams
        send(
            .rootStream,
            .settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: streams)])))
    }

    private func refuseInFlight() {
        for stream in waiting.sorted() { send(stream, .rstStream(.refusedStream)) }
        for _ in waiting { service.refusedStream() }
        waiting = []
        answers.removeAll(keepingCapacity: true)
    }

    // MARK: The end

    private func sendGoAway(_ goAway: SimulatedGoAway, _ stream: HTTP2StreamID, _ push: PushCheck.Push?) {
        let last =
            switch goAway.last {
            case .this: stream
            case .previous: HTTP2StreamID(max(0, Int(stream) - 2))
            case .number(let number): HTTP2StreamID(number)
            }
        lastStream = last
        let reason = goAway.reason.map { ByteBuffer(string: Self.json($0, nil)) }
        send(.rootStream, .goAway(lastStreamID: last, errorCode: .noError, opaqueData: reason))
        waiting = waiting.filter { $0 <= last }
        arriving = arriving.filter { $0.key <= last }
        guard goAway.answersRest else {
            context?.flush()
            context?.close(promise: nil)
            return
        }
        if waiting.contains(stream) { carryOut(.accepted, stream, push) }
        closeIfDone()
    }

    private func closeIfDone() {
        guard lastStream != nil, waiting.isEmpty, arriving.isEmpty else { return }
        context?.flush()
        context?.close(promise: nil)
    }

    private func send(_ stream: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
        context?.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}
