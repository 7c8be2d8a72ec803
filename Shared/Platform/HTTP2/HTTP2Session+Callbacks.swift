import CNghttp2

/// What the library reports while it reads or writes. It must not be called from here, but to queue frames.
extension HTTP2Session {
    // MARK: Reading

    func headBegins(_ number: Int32, opens: Bool) -> Int32 {
        if opens {
            let stream = HTTP2Stream(number)
            streams.insert(stream)
            current = stream
        } else {
            current = streams[number]
        }
        return 0
    }

    /// A client's limit of interim answers to one request (RFC 9110, section 15.2).
    private static let interimLimit = 8

    func field(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard let stream = current else { return 0 }
        guard !stream.take(name.span, value.span, limits) else {
            guard stream.isBoundless(limits) else { return 0 }
            // To decode 16 KiB of references to HPACK's table would cost as much as several requests (CVE-2016-6581).
            fail(.enhanceYourCalm, "a header far over the limit")
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        // The library decodes the rest of the block all the same.
        guard bucket.take(EffortBucket.Cost.wasted) else {
            fail(.enhanceYourCalm, "too many headers over the limit")
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        if stream.input != .head || role == .client { resetInside(stream, .enhanceYourCalm) }
        return 0
    }

    func data(on number: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        // What it ignores, it consumes itself.
        take(nghttp2_session_consume_connection(library, count))
        guard let stream = streams[number], let bytes, let input else { return 0 }
        let start = bytes - input
        events.append(.body(stream, start..<start + count))
        return 0
    }

    func received(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let head = frame.pointee.hd
        let isAcknowledgement = head.flags & FrameHead.acknowledgement != 0
        switch head.type {
        case FrameHead.headers:
            headEnded(head.stream_id, ends: head.flags & FrameHead.endStream != 0)
        case FrameHead.data:
            if head.flags & FrameHead.endStream != 0, let stream = streams[head.stream_id] { inputEnded(stream) }
        case FrameHead.settings where !isAcknowledgement:
            hasPeerSettings = true
            let settings = UnsafeBufferPointer(start: frame.pointee.settings.iv, count: frame.pointee.settings.niv)
            func has(_ id: nghttp2_settings_id) -> Bool { settings.contains { $0.settings_id == Int32(id.rawValue) } }
            if has(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE) { owesTableUpdate = true }
            if has(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE) { hasNewWindows = true }
            events.append(.settings)
        case FrameHead.ping where isAcknowledgement:
            events.append(.pong)
        case FrameHead.goAway:
            let goAway = frame.pointee.goaway
            let data = UnsafeBufferPointer(start: goAway.opaque_data, count: min(goAway.opaque_data_len, 1024))
            isShuttingDown = true
            events.append(
                .goAway(
                    lastStream: goAway.last_stream_id, HTTP2Code(rawValue: goAway.error_code), data: Array(data)))
        default: break
        }
        return 0
    }

    private func headEnded(_ number: Int32, ends: Bool) {
        current = nil
        guard let stream = streams[number] else { return }
        guard stream.input == .head else {
            // Trailers, which nghttp2 accepts at the end only.
            if ends { inputEnded(stream) }
            return
        }
        if role == .client, (100..<200).contains(stream.status) {
            stream.interims += 1
            stream.forgetHead()
            if stream.interims > Self.interimLimit { resetInside(stream, .enhanceYourCalm) }
            return
        }
        stream.input = .body
        events.append(.head(stream, ends: ends))
        if ends { inputEnded(stream) }
    }

    private func inputEnded(_ stream: HTTP2Stream) {
        stream.input = .ended
        stream.owed = 0
        events.append(.end(stream))
    }

    /// Queues a reset while the library reads.
    private func resetInside(_ stream: HTTP2Stream, _ code: HTTP2Code) {
        take(nghttp2_submit_rst_stream(library, none, stream.id, code.rawValue))
    }

    // MARK: Reading and writing

    func ended(_ number: Int32, _ code: HTTP2Code) {
        guard let stream = streams.remove(number) else { return }
        // A client's stream that is complete is closed before its answer is reported.
        stream.isAborted = code != .noError || stream.input != .ended || (role == .server && !stream.isAnswered)
        if current === stream { current = nil }
        // Frames of the peer may be on their way.
        if stream.input != .ended { forgiven.insert(number) }
        heldBytes -= stream.held
        stream.held = 0
        stream.body = .bytes([])
        events.append(.closed(stream, code))
    }

    // MARK: Writing

    func wrote(_ frame: UnsafePointer<nghttp2_frame>) {
        let head = frame.pointee.hd
        switch head.type {
        case FrameHead.headers, FrameHead.data:
            if head.type == FrameHead.headers { owesTableUpdate = false }
            if head.flags & FrameHead.endStream != 0, let stream = streams[head.stream_id] {
                events.append(.sent(stream))
            }
            // Who reads an answer has to open windows.
            if head.type == FrameHead.data, head.length >= 1024 { bucket.giveBack(2 * EffortBucket.Cost.cheap) }
        case FrameHead.reset:
            forgiven.insert(head.stream_id)
            let isOurs = streams[head.stream_id]?.isReset ?? false
            guard frame.pointee.rst_stream.error_code != HTTP2Code.noError.rawValue, role == .server || !isOurs else {
                return
            }
            if !bucket.take(EffortBucket.Cost.wasted) { fail(.enhanceYourCalm, "too many streams reset") }
            // The library only resets a stream whose window the peer's settings make too large (section 6.9.2).
            if hasNewWindows, frame.pointee.rst_stream.error_code == HTTP2Code.flowControlError.rawValue {
                fail(.flowControlError, "a window over its maximum")
            }
        default: break
        }
    }

    /// Gives the library the size of the next piece of a body.
    func nextPiece(of number: Int32, atMost limit: Int, _ flags: UnsafeMutablePointer<UInt32>) -> Int {
        guard let stream = streams[number] else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let count: Int
        let isLast: Bool
        switch stream.body {
        case .bytes(let bytes):
            count = min(limit, bytes.count - stream.sent)
            isLast = stream.sent + count == bytes.count
        case .source(let source):
            switch source.next(atMost: limit) {
            case .bytes(let bytes, let ends):
                guard bytes.count <= limit else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
                if bytes.isEmpty, !ends { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
                stream.piece = bytes
                count = bytes.count
                isLast = ends
            case .later: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            case .failed: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
        }
        flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_NO_COPY.rawValue)
        if isLast { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
        return count
    }

    /// Writes a DATA frame whose size ``nextPiece(of:atMost:_:)`` gave.
    func writeData(of number: Int32, _ head: UnsafeBufferPointer<UInt8>, _ count: Int) -> Int32 {
        guard output.count < outputLimit else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
        guard let stream = streams[number] else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
        output.append(contentsOf: head)
        switch stream.body {
        case .bytes(let bytes):
            output.append(contentsOf: bytes[stream.sent..<stream.sent + count])
            stream.sent += count
        case .source:
            output.append(contentsOf: stream.piece)
            stream.piece = []
        }
        return 0
    }
}
