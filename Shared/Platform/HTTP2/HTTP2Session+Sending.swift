import CNghttp2
package import HTTPMessage
package import HTTPTypes

extension HTTP2Session {
    // MARK: A server

    /// Queues an answer.
    ///
    /// An answer to HEAD, and one with status 204 or 304, has no body, and 204 no `content-length` (RFC 9110, sections 6.4.1
    /// and 8.6). Fields that HTTP/2 forbids are left out.
    ///
    /// - Parameter body: nil for none.
    /// - Returns: false if the stream has ended meanwhile.
    @discardableResult
    package func submitResponse(
        _ number: Int32, status: HTTPResponse.Status, fields: FieldLines, body: HTTP2Body?
    ) -> Bool {
        submit(number, status, fields, body, padding: nil)
    }

    /// Queues an interim answer, such as 100.
    @discardableResult
    package func submitInterim(_ number: Int32, status: HTTPResponse.Status) -> Bool {
        guard failure == nil, let stream = streams[number], !stream.isAborted, !stream.isAnswered else { return false }
        let code = withFields([(":status", String(status.code))], nil) {
            nghttp2_submit_headers(library, none, number, nil, $0.baseAddress, $0.count, nil)
        }
        return take(code)
    }

    /// Encodes a whole answer now, as bytes to be sent later: HEADERS and one DATA frame, which together have exactly
    /// the padding's length. Frames that were queued before leave with the next `drain`.
    ///
    /// Bytes that exist are sent at a moment that depends on nothing in them. For the library the answer is sent, and the
    /// stream's end is reported, before this returns. A session that encodes answers apart submits no others.
    ///
    /// An answer without a body, as to HEAD, is one HEADERS frame.
    ///
    /// - Returns: nil if the stream has ended, or the answer is too long; fewer bytes than asked for if the peer's window
    ///   takes no more.
    package func encodeResponse(
        _ number: Int32, status: HTTPResponse.Status, fields: FieldLines, body: [UInt8], padding: HTTP2Padding
    ) -> [UInt8]? {
        swap(&pending, &output)
        outputLimit = .max
        write()
        swap(&pending, &output)
        // An update of the table's size makes the block longer by a byte.
        let update = owesTableUpdate ? 1 : 0
        let hasBody = streams[number].map { Self.hasBody(status, to: $0) } ?? false
        guard let rest = padding.room(status, fields, body: hasBody ? body.count : nil, besides: update) else {
            return nil
        }
        guard submit(number, status, fields, .bytes(body), padding: padding.field(rest)) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(padding.length)
        swap(&bytes, &output)
        write()
        swap(&bytes, &output)
        let nothing: [UInt8] = []
        deliver(nothing.span)
        return bytes
    }

    private func submit(
        _ number: Int32, _ status: HTTPResponse.Status, _ fields: FieldLines, _ body: HTTP2Body?,
        padding: (name: String, value: String)?
    ) -> Bool {
        guard failure == nil, let stream = streams[number], !stream.isAnswered else { return false }
        let hasBody = Self.hasBody(status, to: stream)
        stream.isAnswered = true
        let code = withFields([(":status", String(status.code))], fields, padding, leavesOutLength: status.code == 204)
        {
            guard hasBody, let body else {
                return nghttp2_submit_response(library, number, $0.baseAddress, $0.count, nil)
            }
            keep(body, on: stream)
            var provider = Self.provider
            return nghttp2_submit_response(library, number, $0.baseAddress, $0.count, &provider)
        }
        return take(code)
    }

    private static func hasBody(_ status: HTTPResponse.Status, to stream: HTTP2Stream) -> Bool {
        status.code != 204 && status.code != 304 && !stream.isHead
    }

    // MARK: A client

    /// How many streams the peer allows; nil before its settings, when none may be opened: a peer with a lower limit than
    /// the library assumes would refuse the rest.
    package var peerStreamLimit: Int? {
        guard hasPeerSettings else { return nil }
        return Int(nghttp2_session_get_remote_settings(library, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// Whether the peer takes another request now.
    package var canSubmit: Bool {
        guard failure == nil, !isShuttingDown, let limit = peerStreamLimit else { return false }
        return streams.count < limit && nghttp2_session_check_request_allowed(library) != 0
    }

    /// Queues a request.
    ///
    /// - Parameter unique: how many of the last lines are unique to this request, or secret: they never enter HPACK's tables.
    /// - Returns: the stream; nil if the peer takes none now.
    /// - Throws: if target or authority are malformed; nothing is sent then.
    package func submitRequest(
        _ method: HTTPRequest.Method, authority: String, target: String, fields: FieldLines, unique: Int = 0,
        body: HTTP2Body?
    ) throws(InvalidField) -> Int32? {
        guard Authority.isValid(authority.utf8Span.span), RequestTarget.isOriginForm(target.utf8Span.span) else {
            throw InvalidField()
        }
        guard canSubmit else { return nil }
        let pseudo: [(name: StaticString, value: String)] = [
            (":method", method.rawValue), (":scheme", "https"), (":authority", authority), (":path", target),
        ]
        return open(isHead: method == .head, body) { provider in
            withFields(pseudo, fields, unique: unique) {
                nghttp2_submit_request(library, nil, $0.baseAddress, $0.count, provider, nil)
            }
        }
    }

    /// Queues a request that follows a pattern.
    ///
    /// - Parameters:
    ///   - targetEnd: what follows the pattern's target.
    ///   - lastValue: the value of the last field, as long as the pattern's.
    /// - Returns: the stream; nil if the peer takes none now.
    /// - Throws: if the target is malformed, or the value is; nothing is sent then.
    package func submitRequest(
        _ pattern: HTTP2RequestPattern, targetEnd: Span<UInt8>, lastValue: Span<UInt8>, body: HTTP2Body?
    ) throws(InvalidField) -> Int32? {
        guard canSubmit else { return nil }
        try pattern.fill(targetEnd: targetEnd, lastValue: lastValue)
        return open(isHead: false, body) { provider in
            nghttp2_submit_request(library, nil, pattern.lines.baseAddress, pattern.lines.count, provider, nil)
        }
    }

    /// Opens a stream with what `submit` queues.
    private func open(
        isHead: Bool, _ body: HTTP2Body?, _ submit: (UnsafePointer<nghttp2_data_provider>?) -> Int32
    ) -> Int32? {
        let stream = HTTP2Stream(nghttp2_session_get_next_stream_id(library).signed)
        let number: Int32
        if let body {
            keep(body, on: stream)
            var provider = Self.provider
            number = submit(&provider)
        } else {
            number = submit(nil)
        }
        guard number == stream.id else {
            fail(.internalError, "a request can't be queued")
            return nil
        }
        stream.isAnnounced = true
        stream.isHead = isHead
        streams.insert(stream)
        highestStream = number
        return number
    }

    // MARK: Both

    /// Asks a stream's source again after ``HTTP2BodyPiece/later``.
    package func resume(_ number: Int32) {
        guard failure == nil else { return }
        take(nghttp2_session_resume_data(library, number))
    }

    /// Ends a stream at once.
    package func reset(_ number: Int32, _ code: HTTP2Code) {
        guard failure == nil, let stream = streams[number] else { return }
        stream.isReset = true
        take(nghttp2_submit_rst_stream(library, none, number, code.rawValue))
    }

    /// Tells the client to open no more streams; those on their way are still served (RFC 9113, section 6.8). ``goAway(_:)``
    /// follows a round trip later.
    package func shutdownNotice() {
        guard failure == nil else { return }
        take(nghttp2_submit_shutdown_notice(library))
    }

    /// Says which streams were taken, and takes no more.
    ///
    /// - Parameter lastStream: the highest that is served; nil for the highest that has arrived.
    package func goAway(_ code: HTTP2Code, lastStream: Int32? = nil, data: [UInt8] = []) {
        guard failure == nil else { return }
        let last = lastStream ?? nghttp2_session_get_last_proc_stream_id(library)
        if role == .server { self.lastStream = min(self.lastStream, last) }
        take(nghttp2_submit_goaway(library, none, last, code.rawValue, data, data.count))
    }

    /// Ends the connection: GOAWAY is the last frame, and open streams are given up.
    package func terminate(_ code: HTTP2Code) {
        guard failure == nil else { return }
        take(nghttp2_session_terminate_session(library, code.rawValue))
    }

    /// Changes how many streams the peer may have open.
    package func setStreamLimit(_ streams: Int) {
        guard failure == nil else { return }
        let id = Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
        let settings = [nghttp2_settings_entry(settings_id: id, value: UInt32(clamping: streams))]
        take(nghttp2_submit_settings(library, none, settings, settings.count))
    }

    /// Asks whether the peer still answers.
    package func ping() {
        guard failure == nil else { return }
        take(nghttp2_submit_ping(library, none, nil))
    }

    /// Whether the library has taken what it was told. Without memory it hasn't, and its state is unknown: the session ends.
    @discardableResult
    func take(_ code: Int32) -> Bool {
        noteMemory(Int(code))
        if nghttp2_is_fatal(code) != 0 { fail(.internalError, String(cString: nghttp2_strerror(code))) }
        return code == 0
    }

    var none: UInt8 { UInt8(NGHTTP2_FLAG_NONE.rawValue) }

    private func keep(_ body: HTTP2Body, on stream: HTTP2Stream) {
        stream.body = body
        // Answers that nobody reads count, too.
        if case .bytes(let bytes) = body {
            stream.held += bytes.count
            heldBytes += bytes.count
        }
    }

    private static var provider: nghttp2_data_provider {
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, stream, _, limit, flags, _, context in
            guard let context, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
            return Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
                $0.nextPiece(of: stream, atMost: limit, flags)
            }
        }
        return provider
    }
}

extension UInt32 {
    fileprivate var signed: Int32 { Int32(truncatingIfNeeded: self) }
}
