import CNghttp2
import HTTPMessage

/// One HTTP/2 connection without its socket, as server or client: bytes in, bytes out, and calls of its delegate.
///
/// nghttp2 knows frames, HPACK, the states of streams, and windows. This class adds what nghttp2 1.52 lacks: counters for
/// floods, rules of fields, credit within a budget, and answers of an exact length. It belongs to one core.
///
/// An error of the peer's that ends the connection makes `receive` throw, or ``isFinished`` true after the next `drain`.
package final class HTTP2Session {
    /// Which end of the connection a session is.
    package enum Role: Sendable {
        case server, client
    }

    /// Learns what happens.
    package weak var delegate: (any HTTP2SessionDelegate)?
    /// Set when the session can't go on.
    package internal(set) var failure: HTTP2Failure?
    let role: Role
    let limits: HTTP2Limits
    /// Nil only after a failed `init`.
    var library: OpaquePointer?
    var streams = StreamTable()

    // While the library reads.
    var watch: FrameWatch
    var bucket: EffortBucket
    var current: HTTP2Stream?
    var input: UnsafePointer<UInt8>?
    var events: [HTTP2Event] = []
    private var hasLackedMemory = false
    private var isDelivering = false
    private var isGoAwayDrained = false
    /// The highest number that a stream of this connection has had, whoever opened it.
    var highestStream: Int32 = 0
    /// The highest that is served, once GOAWAY has said so.
    var lastStream = Int32.max
    /// Whether the last frame opens a stream, and isn't complete.
    private var isOpening = false
    /// Streams that the bytes which are being received open, in ascending order.
    private var opened: [Int32] = []
    var forgiven = EndedStreams()

    // While it writes.
    var output: [UInt8] = []
    var outputLimit = 0
    /// Frames that were queued before an answer that was encoded apart.
    var pending: [UInt8] = []
    /// Whether the next header block begins with an update of the table's size (RFC 7541, section 4.2).
    var owesTableUpdate: Bool

    // Credit.
    /// What the bodies of all streams occupy.
    package internal(set) var heldBytes = 0
    var hasPeerSettings = false
    /// Whether the peer has changed the size of windows, and not all frames have been written since.
    var hasNewWindows = false
    var isShuttingDown = false

    /// A session whose SETTINGS wait to be drained.
    ///
    /// - Throws: if there is no memory.
    package convenience init(_ role: Role, limits: HTTP2Limits) throws(HTTP2Failure) {
        try self.init(
            role, limits: limits, bucket: EffortBucket(capacity: limits.effort, perSecond: limits.effortPerSecond))
    }

    init(
        _ role: Role, limits: HTTP2Limits, bucket: EffortBucket, memory: nghttp2_mem = HTTP2Library.memory
    ) throws(HTTP2Failure) {
        self.role = role
        self.limits = limits
        self.bucket = bucket
        watch = FrameWatch(skipping: role == .server ? 24 : 0)
        owesTableUpdate = !limits.usesTables
        library = nil
        // Without options the library would have none of their limits.
        guard let options = HTTP2Library.shared.options(for: limits) else {
            throw HTTP2Failure(.internalError, "no memory for a session")
        }
        defer { nghttp2_option_del(options) }
        // The library calls back only from calls of `self`, which therefore outlives it.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let callbacks = HTTP2Library.shared.callbacks
        // It copies these.
        var memory = memory
        let code =
            switch role {
            case .server: nghttp2_session_server_new3(&library, callbacks, context, options, &memory)
            case .client: nghttp2_session_client_new3(&library, callbacks, context, options, &memory)
            }
        guard code == 0, library != nil, announce() else {
            throw HTTP2Failure(.internalError, "no memory for a session")
        }
    }

    deinit {
        // Where its queue of DATA can't grow, nghttp2 1.52 frees an item and keeps it (nghttp2_session_attach_stream_item in
        // nghttp2_session.c); to free the session would free the item again. So after any lack of memory it is lost.
        if !hasLackedMemory { nghttp2_session_del(library) }
    }

    /// Queues our SETTINGS.
    private func announce() -> Bool {
        var settings: [nghttp2_settings_entry] = []
        func add(_ id: nghttp2_settings_id, _ value: Int) {
            settings.append(nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value)))
        }
        switch role {
        case .server:
            add(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams)
            // RFC 9218, section 2.1: nor does nghttp2 keep a tree of closed streams then.
            add(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1)
        case .client:
            add(NGHTTP2_SETTINGS_ENABLE_PUSH, 0)
        }
        add(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headBytes)
        if limits.streamWindow != 65_535 { add(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamWindow) }
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        guard nghttp2_submit_settings(library, flags, settings, settings.count) == 0 else { return false }
        return limits.connectionWindow <= 65_535
            || nghttp2_session_set_local_window_size(library, flags, 0, Int32(clamping: limits.connectionWindow)) == 0
    }

    // MARK: State

    /// Whether the connection has nothing more to read or to write, and is to be closed once what was drained is sent.
    package var isFinished: Bool {
        if failure != nil { return isGoAwayDrained }
        return pending.isEmpty && nghttp2_session_want_read(library) == 0 && nghttp2_session_want_write(library) == 0
    }

    /// Whether something waits to be drained.
    package var wantsWrite: Bool {
        if failure != nil { return !isGoAwayDrained }
        return !pending.isEmpty || nghttp2_session_want_write(library) != 0
    }

    /// How many streams are open.
    package var openStreams: Int { streams.count }

    /// Whether a stream's message from the peer is incomplete.
    package func isReceiving(_ stream: Int32) -> Bool { streams[stream].map { $0.input != .ended } ?? false }

    // MARK: In

    /// Takes bytes of the peer and calls the delegate.
    ///
    /// - Throws: if the connection can't go on.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Failure) {
        if let failure { throw failure }
        var rest = bytes
        while !rest.isEmpty {
            // What is delivered stays bounded, and answers leave between the pieces.
            let piece = rest.extracting(first: min(rest.count, 16_384))
            rest = rest.extracting(droppingFirst: piece.count)
            check(piece)
            if failure == nil { read(piece) }
            deliver(piece)
            if let failure { throw failure }
        }
    }

    /// Looks at the heads of the frames before the library does.
    private func check(_ piece: Span<UInt8>) {
        // The library knows a stream when it has read what precedes the first fields, not with the head.
        let known = isOpening ? highestStream - 1 : highestStream
        opened.removeAll(keepingCapacity: true)
        if isOpening { opened.append(highestStream) }
        defer { isOpening = isOpening && watch.isWithinFrame }
        var position = 0
        while let frame = watch.next(piece, &position) {
            isOpening = false
            // The library takes a CONTINUATION of any length, and ignores this PRIORITY (sections 4.2 and 6.3).
            if frame.type == FrameHead.continuation, frame.length > FrameHead.longest {
                return fail(.frameSizeError, "a frame that is too long")
            }
            if frame.type == FrameHead.priority, frame.stream == 0 {
                return fail(.protocolError, "a priority of no stream")
            }
            let cost = frame.cost
            guard cost == 0 || bucket.take(cost) else { return fail(.enhanceYourCalm, "too many frames of no use") }
            guard frame.stream != 0, frame.type <= FrameHead.headers else { continue }
            if role == .server, frame.stream > highestStream {
                highestStream = frame.stream
                isOpening = true
                opened.append(frame.stream)
            }
            // The library ignores a stream below one that came with it (section 5.1.1).
            let isEnded =
                frame.stream <= known
                ? !streams.contains(frame.stream) : frame.stream < highestStream && !hasOpened(frame.stream)
            // Streams that the peer opens, but may not, are the library's to refuse; those above our GOAWAY's to ignore.
            if isEnded, frame.stream % 2 == 1, frame.stream <= lastStream, !forgiven.contains(frame.stream) {
                return fail(.streamClosed, "a frame on a stream that has ended")
            }
        }
    }

    /// Whether the bytes that are being received open a stream.
    private func hasOpened(_ stream: Int32) -> Bool {
        var range = opened.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if opened[middle] == stream { return true }
            range = opened[middle] < stream ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }

    private func read(_ piece: Span<UInt8>) {
        let count = piece.withUnsafeBufferPointer { buffer in
            input = buffer.baseAddress
            defer { input = nil }
            return nghttp2_session_mem_recv(library, buffer.baseAddress, buffer.count)
        }
        guard count < 0 else { return }
        noteMemory(count)
        guard failure == nil else { return }
        let isFlood =
            count == Int(NGHTTP2_ERR_FLOODED.rawValue) || count == Int(NGHTTP2_ERR_TOO_MANY_SETTINGS.rawValue)
            || count == Int(NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue)
            || count == Int(NGHTTP2_ERR_PROTO.rawValue)
        fail(
            isFlood ? .enhanceYourCalm : count == Int(NGHTTP2_ERR_NOMEM.rawValue) ? .internalError : .protocolError,
            String(cString: nghttp2_strerror(Int32(count))))
    }

    /// Notes whether the library lacked memory: see `deinit`.
    func noteMemory(_ code: Int) {
        if code == Int(NGHTTP2_ERR_NOMEM.rawValue) { hasLackedMemory = true }
    }

    /// Ends the session: from now on the library isn't called any more.
    func fail(_ code: HTTP2Code, _ reason: String) {
        if failure == nil { failure = HTTP2Failure(code, reason) }
    }

    // MARK: Out

    /// Appends the frames to send.
    ///
    /// - Parameter limit: it stops at the first frame that reaches this size of `output`.
    package func drain(into output: inout [UInt8], atMost limit: Int = .max) {
        swap(&self.output, &output)
        outputLimit = limit
        if !pending.isEmpty {
            self.output.append(contentsOf: pending)
            pending = []
        }
        write()
        swap(&self.output, &output)
        let nothing: [UInt8] = []
        deliver(nothing.span)
    }

    /// Appends the library's frames to ``output``, up to ``outputLimit``.
    func write() {
        while failure == nil, output.count < outputLimit {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(library, &bytes)
            guard count >= 0 else {
                noteMemory(count)
                fail(.internalError, String(cString: nghttp2_strerror(Int32(count))))
                break
            }
            guard count > 0 else {
                hasNewWindows = false
                break
            }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
        guard let failure, !isGoAwayDrained else { return }
        isGoAwayDrained = true
        let last = role == .server ? min(highestStream, lastStream) : 0
        output.append(contentsOf: Self.goAwayFrame(lastStream: last, failure.code))
    }

    /// Calls the delegate for what has happened, in order.
    func deliver(_ piece: Span<UInt8>) {
        // A call of the delegate may end here again; the outer loop goes on with what that has added.
        guard !isDelivering, !events.isEmpty else { return }
        isDelivering = true
        defer { isDelivering = false }
        // Loading a weak reference costs more than a call.
        let delegate = delegate
        var next = 0
        while next < events.count {
            let event = events[next]
            next += 1
            report(event, piece, to: delegate)
        }
        events.removeAll(keepingCapacity: events.capacity <= 64)
    }

    /// The frame, for when the library can't be asked (RFC 9113, section 6.8).
    static func goAwayFrame(lastStream: Int32, _ code: HTTP2Code) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        return [0, 0, 8, FrameHead.goAway, 0, 0, 0, 0, 0] + bytes(UInt32(lastStream)) + bytes(code.rawValue)
    }
}
