import CNghttp2
import HTTPMessage
import HTTPTypes

extension HTTP2Session {
    /// Calls the delegate for one event.
    func report(_ event: HTTP2Event, _ piece: Span<UInt8>, to delegate: (any HTTP2SessionDelegate)?) {
        switch event {
        case .head(let stream, let ends):
            // A stream that the peer opened and reset in one piece was never there.
            guard !stream.isAborted else { return }
            stream.isAnnounced = true
            announce(stream, ends: ends, to: delegate)
        case .body(let stream, let range):
            guard stream.isAnnounced, !stream.isAborted else { return }
            hold(range.count, on: stream)
            delegate?.body(stream.id, piece.extracting(range))
        case .end(let stream):
            guard stream.isAnnounced, !stream.isAborted else { return }
            delegate?.end(stream.id)
        case .sent(let stream):
            delegate?.sent(stream.id)
        case .closed(let stream, let code):
            if stream.isAnnounced { delegate?.closed(stream.id, code) }
        case .overLimit: delegate?.refusedOverLimit()
        case .goAway(let lastStream, let code, let data):
            delegate?.goAway(lastStream: lastStream, code, data: data)
        case .settings: delegate?.settingsChanged()
        case .pong: delegate?.pingAnswered()
        }
    }

    private func announce(_ stream: HTTP2Stream, ends: Bool, to delegate: (any HTTP2SessionDelegate)?) {
        switch role {
        case .client:
            let framing: BodyFraming = ends ? .none : stream.length.map { .length($0) } ?? .chunked
            let head = ResponseHead(
                version: .http2, status: HTTPResponse.Status(code: stream.status), fields: stream.fields,
                framing: framing)
            stream.fields = FieldLines()
            delegate?.response(stream.id, head, ends: ends)
        case .server:
            do {
                let head = try stream.request(ends: ends)
                stream.isHead = head.method == .head
                stream.fields = FieldLines()
                delegate?.request(stream.id, head, ends: ends)
            } catch {
                stream.fields = FieldLines()
                stream.isHead = stream.method.elementsEqual("HEAD".utf8)
                delegate?.refused(stream.id, error)
            }
        }
    }

    // MARK: Credit

    /// Counts bytes that the owner holds from now on, and gives credit for as many.
    ///
    /// The connection's window opens at once and only streams are held back: if waiting bodies filled the connection's window,
    /// the one body that may go on couldn't.
    ///
    /// A stream may have ended before its body is reported: then nobody would let go of it, and it gets no credit.
    private func hold(_ count: Int, on stream: HTTP2Stream) {
        guard streams.contains(stream.id) else { return }
        stream.held += count
        heldBytes += count
        stream.owed += count
        credit(stream)
    }

    /// The owner lets go of bytes of a body; at the end of its stream it lets go of all.
    package func release(_ number: Int32, _ count: Int) {
        guard let stream = streams[number] else { return }
        let count = min(count, stream.held)
        stream.held -= count
        heldBytes -= count
        creditWaiting()
    }

    /// Gives a stream's peer no more credit, because the rest of its body isn't wanted.
    package func stopCredit(_ number: Int32) {
        streams[number]?.hasCredit = false
    }

    private func credit(_ stream: HTTP2Stream) {
        guard stream.owed > 0, stream.hasCredit, failure == nil, stream.input == .body, !stream.isAborted else {
            return
        }
        guard heldBytes <= limits.heldBytes || stream.id == oldestReceiving else { return }
        take(nghttp2_session_consume_stream(library, stream.id, stream.owed))
        stream.owed = 0
    }

    /// Streams that were held back go on when there is room again.
    func creditWaiting() {
        for stream in streams.values where stream.owed > 0 { credit(stream) }
    }

    /// The oldest unfinished body goes on whatever is held, so that one always ends.
    private var oldestReceiving: Int32? {
        streams.values.lazy.filter { $0.input == .body }.map(\.id).min()
    }
}
