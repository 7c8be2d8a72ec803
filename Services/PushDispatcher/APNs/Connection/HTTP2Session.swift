import CNghttp2
import NIOCore

/// A client's HTTP/2 connection without its socket (libnghttp2): bytes in, bytes out, and the end of each stream.
///
/// It isn't thread-safe, as the library's session isn't; it stays on its connection's event loop.
final class HTTP2Session {
    /// A stream that has ended.
    struct Ended {
        let stream: Int32
        /// The name given with the request.
        let push: Int
        let end: End
    }

    /// How a stream ended.
    enum End {
        case answered(APNsReply)
        /// Without a reply; with the code of RST_STREAM, or REFUSED_STREAM for a stream that GOAWAY reports as unprocessed.
        case reset(UInt32)
    }

    /// The peer accepts no more streams.
    struct GoAway {
        let code: UInt32
        /// Nil if the frame names none.
        let reason: APNsReason?
    }

    /// An unrecoverable error of the library.
    struct Failure: Error {
        let code: Int
    }

    private let session: OpaquePointer
    private let events: Events

    /// Starts with our SETTINGS, which ``writePending(into:)`` returns.
    init() throws(Failure) {
        let events = Events()
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else {
            throw Failure(code: Int(NGHTTP2_ERR_NOMEM.rawValue))
        }
        defer { nghttp2_session_callbacks_del(callbacks) }
        Events.register(callbacks)
        var session: OpaquePointer?
        // The session doesn't own `events`, but lives no longer than this object, which does.
        let code = nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(events).toOpaque())
        guard code == 0, let session else { throw Failure(code: Int(code)) }
        self.session = session
        self.events = events
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: 8192),
        ]
        let submitted = nghttp2_submit_settings(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        guard submitted == 0 else { throw Failure(code: Int(submitted)) }
    }

    deinit {
        nghttp2_session_del(session)
    }

    // MARK: State of the peer

    /// How many concurrent streams the peer allows; nil before its SETTINGS, when nothing may be sent.
    var streamLimit: Int? {
        guard events.hasSettings else { return nil }
        return Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// How many streams are open.
    var openStreams: Int { events.streams.count }
    /// The pushes whose streams are open.
    var openPushes: [Int] { events.streams.values.map(\.push) }
    /// Set once the peer accepts no more streams.
    var goAway: GoAway? { events.goAway }

    /// Whether the peer has answered a PING since the last call.
    func takePong() -> Bool {
        defer { events.hasPong = false }
        return events.hasPong
    }

    /// The streams that have ended since the last call.
    func takeEnded() -> [Ended] {
        defer { events.ended.removeAll(keepingCapacity: true) }
        return events.ended
    }

    // MARK: In and out

    /// - Throws: if the peer violates the protocol; the connection has to be closed.
    func receive(_ buffer: ByteBuffer) throws(Failure) {
        let count = buffer.withUnsafeReadableBytes { bytes in
            nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard count >= 0 else { throw Failure(code: count) }
    }

    /// Opens a stream.
    ///
    /// - Returns: its identifier; nil if the peer accepts no more.
    func submit(_ push: Int, _ request: PushRequest, _ content: SilentPush) throws(Failure) -> Int32? {
        guard goAway == nil, nghttp2_session_check_request_allowed(session) != 0 else { return nil }
        var body = nghttp2_data_provider()
        body.read_callback = { _, _, buffer, capacity, flags, source, _ in
            let payload = SilentPush.payload
            guard let buffer, let source else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
            // The peer's flow-control window may be smaller than the payload: the rest follows later, from the offset in the
            // stream's own copy of `source`.
            let sent = Int(source.pointee.fd)
            let count = min(capacity, payload.utf8CodeUnitCount - sent)
            buffer.update(from: payload.utf8Start + sent, count: count)
            source.pointee.fd = Int32(sent + count)
            if sent + count == payload.utf8CodeUnitCount { flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
            return count
        }
        let stream = request.withFields(of: content) { fields in
            nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, &body, nil)
        }
        guard stream > 0 else { throw Failure(code: Int(stream)) }
        events.streams[stream] = Events.Stream(push: push)
        return stream
    }

    /// Resets a stream.
    ///
    /// - Returns: the push; nil if the stream has ended before.
    func cancel(_ stream: Int32) -> Int? {
        guard let open = events.streams.removeValue(forKey: stream) else { return nil }
        // It fails for lack of memory only; the stream is removed in any case.
        _ = nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, UInt32(NGHTTP2_CANCEL.rawValue))
        return open.push
    }

    /// Checks whether the peer still responds.
    func ping() {
        _ = nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Sends GOAWAY before closing.
    func announceClose() {
        _ = nghttp2_session_terminate_session(session, UInt32(NGHTTP2_NO_ERROR.rawValue))
    }

    /// Appends the frames to send.
    func writePending(into buffer: inout ByteBuffer) throws(Failure) {
        while true {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count >= 0 else { throw Failure(code: count) }
            guard count > 0 else { return }
            buffer.writeBytes(UnsafeRawBufferPointer(start: bytes, count: count))
        }
    }
}

/// The library's callbacks while it reads and writes.
private final class Events {
    struct Stream {
        let push: Int
        var status = 0
        var retryAfter: Int?
        var body: [UInt8] = []
    }

    var streams: [Int32: Stream] = [:]
    var ended: [HTTP2Session.Ended] = []
    var hasSettings = false
    var hasPong = false
    var goAway: HTTP2Session.GoAway?

    static func register(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, _, user in
            guard let frame, let name, let value, let events = Events.from(user) else { return 0 }
            events.header(
                of: frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameLength),
                UnsafeBufferPointer(start: value, count: length))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, user in
            Events.from(user)?.body(of: stream, UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
            Events.from(user)?.closed(stream, code)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            if let frame, let events = Events.from(user) { events.received(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, user in
            guard let header = frame?.pointee.hd, header.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
            Events.from(user)?.closed(header.stream_id, UInt32(NGHTTP2_REFUSED_STREAM.rawValue))
            return 0
        }
    }

    private static func from(_ user: UnsafeMutableRawPointer?) -> Events? {
        user.map { Unmanaged<Events>.fromOpaque($0).takeUnretainedValue() }
    }

    private func header(of stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        if name.elementsEqual(":status".utf8) {
            streams[stream]?.status = Self.number(value) ?? 0
        } else if name.elementsEqual("retry-after".utf8) {
            streams[stream]?.retryAfter = Self.number(value)
        }
    }

    private func body(of stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let length = streams[stream]?.body.count else { return }
        streams[stream]?.body.append(contentsOf: bytes.prefix(APNsReplyBody.limit - length))
    }

    private func closed(_ number: Int32, _ code: UInt32) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        let end: HTTP2Session.End =
            if code == UInt32(NGHTTP2_NO_ERROR.rawValue), stream.status != 0 {
                .answered(APNsReply(status: stream.status, retryAfter: stream.retryAfter, body: stream.body))
            } else {
                .reset(code)
            }
        ended.append(HTTP2Session.Ended(stream: number, push: stream.push, end: end))
    }

    private func received(_ frame: nghttp2_frame) {
        let isAck = frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(frame.hd.type) {
        case NGHTTP2_SETTINGS.rawValue where !isAck: hasSettings = true
        case NGHTTP2_PING.rawValue where isAck: hasPong = true
        case NGHTTP2_GOAWAY.rawValue:
            let data = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
            let reason = data.isEmpty ? nil : APNsReplyBody(Array(data.prefix(APNsReplyBody.limit))).reason
            goAway = HTTP2Session.GoAway(code: frame.goaway.error_code, reason: reason)
        default: break
        }
    }

    /// A number of at most nine digits.
    private static func number(_ digits: UnsafeBufferPointer<UInt8>) -> Int? {
        guard (1...9).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
