import CNghttp2
import Glibc

/// What all sessions share of nghttp2: its callbacks, made once and never changed.
struct HTTP2Library: @unchecked Sendable {
    static let shared = HTTP2Library()
    let callbacks: OpaquePointer?

    /// How sessions get memory: as usual, but for the buffer of their frames.
    ///
    /// nghttp2 gives every session one of 16 KiB, and DATA doesn't pass through it, so an idle connection has used little more than a
    /// hundred bytes. On pages of its own the rest of it isn't memory of the process, even if the heap had it before.
    static var memory: nghttp2_mem {
        nghttp2_mem(
            mem_user_data: nil,
            malloc: { size, _ in malloc(size) },
            free: { address, _ in free(address) },
            calloc: { count, size, _ in calloc(count, size) },
            realloc: { address, size, _ in
                guard address == nil, size >= 16 << 10 else { return realloc(address, size) }
                let page = 4096
                let rounded = (size + page - 1) / page * page
                var pages: UnsafeMutableRawPointer?
                guard posix_memalign(&pages, page, rounded) == 0 else { return nil }
                madvise(pages, rounded, MADV_DONTNEED)
                return pages
            })
    }

    /// The options of a new session, to be freed by the caller.
    func options(for limits: HTTP2Limits) -> OpaquePointer? {
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0 else { return nil }
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_no_closed_streams(options, 1)
        // Acknowledgements that a peer doesn't read; a client's preface and settings come before it can.
        nghttp2_option_set_max_outbound_ack(options, 256)
        nghttp2_option_set_max_settings(options, 32)
        // CVE-2024-28182: enough for a head within any limit of ours.
        nghttp2_option_set_max_continuations(options, 4)
        // Behind ``EffortBucket``, which counts the same.
        let effort = UInt64(limits.effort / EffortBucket.Cost.wasted + 1)
        nghttp2_option_set_stream_reset_rate_limit(options, effort * 2, effort)
        // With a table of our own size 0 the update at the beginning of a header block is always one byte.
        if !limits.usesTables { nghttp2_option_set_max_deflate_dynamic_table_size(options, 0) }
        return options
    }

    private init() {
        var callbacks: OpaquePointer?
        self.callbacks = nghttp2_session_callbacks_new(&callbacks) == 0 ? callbacks : nil
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            guard let frame else { return 0 }
            let stream = frame.pointee.hd.stream_id
            let opens = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            return with(context) { $0.headBegins(stream, opens: opens) }
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameLength, value, valueLength, _, context in
            let name = UnsafeBufferPointer(start: name, count: nameLength)
            let value = UnsafeBufferPointer(start: value, count: valueLength)
            return with(context) { $0.field(name, value) }
        }
        // The library would otherwise ignore a bad field and pass the message on.
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, _, _, _, _, _, _, _ in
            NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, context in
            with(context) { $0.data(on: stream, bytes, count) }
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame else { return 0 }
            return with(context) { $0.received(frame) }
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, context in
            guard let stream = frame?.pointee.hd.stream_id else { return 0 }
            return with(context) {
                $0.forgiven.insert(stream)
                if code == NGHTTP2_ERR_REFUSED_STREAM.rawValue { $0.events.append(.overLimit) }
                return 0
            }
        }
        // Always 0: after an error here nghttp2 1.52 leaks the stream (CVE-2023-35945).
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            with(context) {
                $0.ended(stream, HTTP2Code(rawValue: code))
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
            guard let frame else { return 0 }
            return with(context) {
                $0.wrote(frame)
                return 0
            }
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, context in
            guard let head = frame?.pointee.hd, head.type == FrameHead.headers else { return 0 }
            return with(context) {
                $0.ended(head.stream_id, .refusedStream)
                return 0
            }
        }
        nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, head, length, _, context in
            guard let frame, let head else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
            let stream = frame.pointee.hd.stream_id
            let header = UnsafeBufferPointer(start: head, count: 9)
            return with(context) { $0.writeData(of: stream, header, length) }
        }
    }
}

/// The session of a callback's context.
private func with(_ context: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> Int32) -> Int32 {
    guard let context else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    return Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0) }
}
