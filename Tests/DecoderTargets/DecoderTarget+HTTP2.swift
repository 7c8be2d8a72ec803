import FoundationEssentials
import HTTP2
import HTTPMessage
import HTTPTypes

/// What a connection of HTTP/2 carries, in both directions.
extension DecoderTarget {
    /// The frames of a client, behind its preface.
    static func http2Requests(_ bytes: Data) -> Verdict {
        judge(Array(bytes), as: .server) { reading in
            for stream in reading.whole where stream.isEnded {
                guard case .request(let head) = stream.head, RequestTarget.isOriginForm(head.target.utf8Span.span),
                    let authority = head.authority
                else { continue }
                return HTTP2Reading.isSame(stream, head, authority) ? nil : "sent again, a request is another"
            }
            return nil
        }
    }

    /// The frames of a server, behind its first settings, to a client that has sent three requests.
    static func http2Answers(_ bytes: Data) -> Verdict {
        judge(Array(bytes), as: .client) { _ in nil }
    }

    private static func judge(
        _ bytes: [UInt8], as role: HTTP2Session.Role, further: (HTTP2Reading) -> String?
    ) -> Verdict {
        guard let reading = HTTP2Reading(role, bytes, atATime: bytes.count),
            let other = HTTP2Reading(role, bytes, atATime: 1 + bytes.count / 32)
        else { return .broken("there is no session") }
        if let flaw = reading.flaw ?? other.flaw ?? reading.differs(from: other) ?? further(reading) {
            return .broken(flaw)
        }
        return !reading.hasFailed && reading.whole.contains(where: \.isEnded) ? .value : .refused
    }
}

/// What a session reports of bytes, while it answers and counts what it holds.
final class HTTP2Reading: HTTP2SessionDelegate {
    enum Head {
        case request(RequestHead)
        case answer(ResponseHead)
        /// A request that breaks a rule, by its answer's status.
        case refused(Int)

        /// All of it.
        var text: String {
            switch self {
            case .request(let head):
                "\(head.method) \(head.target) \(head.authority ?? "-") \(head.framing) \(head.expectsContinue)"
                    + Self.text(head.fields)
            case .answer(let head): "\(head.status.code) \(head.framing)\(Self.text(head.fields))"
            case .refused(let status): "refused with \(status)"
            }
        }

        private static func text(_ fields: FieldLines) -> String {
            var text = ""
            fields.forEach { text += "\n\($0): \($1)" }
            return text
        }
    }

    struct Stream {
        var head: Head?
        var body: [UInt8] = []
        var isEnded = false
        var isClosed = false
        /// What the session holds of our own message.
        var heldOutput = 0
    }

    /// A promise that wasn't kept.
    private(set) var flaw: String?
    private(set) var hasFailed = false
    /// Whether a stream was reset or refused, which depends on what has been answered by then.
    private(set) var hasResets = false
    private var streams: [Int32: Stream] = [:]
    private let session: HTTP2Session
    private let limits: HTTP2Limits
    private var received = 0
    /// What has left.
    private var sent: [UInt8] = []

    /// The streams of which a message has begun.
    var whole: [Stream] { streams.sorted { $0.key < $1.key }.map(\.value).filter { $0.head != nil } }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let emptySettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let answer = Array("answer".utf8)

    /// Small limits, so that a search reaches them; no effort is too much, because it is forgiven with time.
    private init?(_ role: HTTP2Session.Role, _ change: (inout HTTP2Limits) -> Void = { _ in }) {
        var limits = role == .client ? HTTP2Limits.client : HTTP2Limits()
        limits.streams = 8
        limits.headBytes = 768
        limits.fieldCount = 12
        limits.streamWindow = 1024
        limits.heldBytes = 2048
        limits.effort = 1_000_000
        change(&limits)
        guard let session = try? HTTP2Session(role, limits: limits) else { return nil }
        self.session = session
        self.limits = limits
        session.delegate = self
    }

    /// - Parameter step: how many bytes arrive at a time; between them frames leave.
    convenience init?(_ role: HTTP2Session.Role, _ bytes: [UInt8], atATime step: Int) {
        self.init(role)
        switch role {
        case .server: take(Self.preface[...])
        case .client:
            take(Self.emptySettings[...])
            for method in [HTTPRequest.Method.get, .post, .head] { ask(method) }
            drain()
        }
        var rest = bytes[...]
        while !rest.isEmpty, !hasFailed {
            take(rest.prefix(max(step, 1)))
            rest = rest.dropFirst(max(step, 1))
        }
    }

    private func ask(_ method: HTTPRequest.Method) {
        let body = method == .post ? Self.answer : nil
        let number = try? session.submitRequest(
            method, authority: "localhost", target: "/", fields: FieldLines(), body: body.map { .bytes($0) })
        guard let number else { return broken("a request can't be sent") }
        streams[number] = Stream(heldOutput: body?.count ?? 0)
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        received += bytes.count
        do throws(HTTP2Failure) {
            try session.receive(bytes.span)
        } catch {
            hasFailed = true
        }
        drain()
    }

    private func drain() {
        flush()
        if sent.count > 1024 + 16 * received { broken("more leaves than arrives") }
        let held = streams.values.reduce(0) { $0 + ($1.isClosed ? 0 : $1.body.count + $1.heldOutput) }
        if session.heldBytes != held { broken("it counts \(session.heldBytes) bytes of bodies, not \(held)") }
        if session.openStreams > limits.streams + 1 { broken("more streams are open than it allows") }
    }

    private func flush() {
        var output: [UInt8] = []
        session.drain(into: &output)
        if session.failure != nil { hasFailed = true }
        sent += output
        checkFrames(output.starts(with: Self.preface) ? output.dropFirst(Self.preface.count) : output[...])
    }

    private func checkFrames(_ output: ArraySlice<UInt8>) {
        var rest = output
        while !rest.isEmpty {
            let length = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 9 + length, length <= 16_384 else { return broken("what leaves aren't frames") }
            rest = rest.dropFirst(9 + length)
        }
    }

    private func broken(_ why: String) { flaw = flaw ?? why }

    /// Why two readings of the same bytes aren't one.
    ///
    /// A connection that fails, or a stream that is reset, may do so at another byte: what was complete by then is the same.
    func differs(from other: HTTP2Reading) -> String? {
        for (number, stream) in streams {
            guard let same = other.streams[number], stream.isEnded, same.isEnded else { continue }
            if stream.head?.text != same.head?.text || stream.body != same.body {
                return "in pieces, stream \(number) is read otherwise"
            }
        }
        let isWhole = [self, other].allSatisfy { !$0.hasFailed && !$0.hasResets }
        let ended = [self, other].map { $0.streams.filter(\.value.isEnded).keys.sorted() }
        return isWhole && ended[0] != ended[1] ? "in pieces, other messages are complete" : nil
    }

    /// Whether a request that our client sends arrives as it was.
    static func isSame(_ stream: Stream, _ head: RequestHead, _ authority: String) -> Bool {
        // The scheme may be a byte longer.
        guard let client = HTTP2Reading(.client),
            let server = HTTP2Reading(.server, { $0.headBytes *= 2 })
        else { return false }
        client.take(emptySettings[...])
        let number = try? client.session.submitRequest(
            head.method, authority: authority, target: head.target, fields: head.fields,
            body: head.framing == .none ? nil : .bytes(stream.body))
        guard let number else { return false }
        client.streams[number] = Stream(heldOutput: head.framing == .none ? 0 : stream.body.count)
        client.drain()
        var taken = (client: 0, server: 0)
        while taken.client < client.sent.count || taken.server < server.sent.count {
            let (forServer, forClient) = (client.sent[taken.client...], server.sent[taken.server...])
            taken = (client.sent.count, server.sent.count)
            server.take(forServer)
            client.take(forClient)
        }
        guard let arrived = server.streams[number], arrived.isEnded else { return false }
        return arrived.head?.text == Head.request(head).text && arrived.body == stream.body
    }

    // MARK: What the session reports

    func request(_ stream: Int32, _ head: RequestHead, ends: Bool) {
        begin(stream, .request(head), head.fields)
        // A request that the server won't read is answered at once, while what has come of it is still being reported.
        guard head.method == .put else { return }
        answer(stream, .notFound, isHead: false)
        flush()
    }
    func refused(_ stream: Int32, _ violation: Violation) {
        begin(stream, .refused(violation.status), FieldLines())
    }
    func response(_ stream: Int32, _ head: ResponseHead, ends: Bool) {
        guard streams[stream]?.head == nil, streams[stream] != nil else { return broken("nobody asked") }
        setHead(stream, .answer(head), head.fields)
    }

    private func begin(_ number: Int32, _ head: Head, _ fields: FieldLines) {
        guard streams[number] == nil else { return broken("a stream begins twice") }
        streams[number] = Stream()
        setHead(number, head, fields)
    }

    private func setHead(_ number: Int32, _ head: Head, _ fields: FieldLines) {
        if fields.bytes.count + 32 * fields.count > limits.headBytes || fields.count > limits.fieldCount + 5 {
            broken("a head is too large")
        }
        streams[number]?.head = head
    }

    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        guard let known = streams[stream], known.head != nil, !known.isEnded, !known.isClosed else {
            return broken("a body comes where none is")
        }
        bytes.withUnsafeBufferPointer { streams[stream]?.body += $0 }
    }

    func end(_ number: Int32) {
        guard let stream = streams[number], let head = stream.head, !stream.isEnded, !stream.isClosed else {
            return broken("a message ends that hasn't begun")
        }
        streams[number]?.isEnded = true
        switch head {
        case .answer: break
        case .request(let head) where head.method == .put: break
        case .request(let head): answer(number, .ok, isHead: head.method == .head)
        case .refused(let status): answer(number, HTTPResponse.Status(code: status), isHead: true)
        }
    }

    private func answer(_ number: Int32, _ status: HTTPResponse.Status, isHead: Bool) {
        let isQueued = session.submitResponse(
            number, status: status, fields: FieldLines(), body: isHead ? nil : .bytes(Self.answer))
        if isQueued, !isHead { streams[number]?.heldOutput = Self.answer.count }
    }

    func closed(_ stream: Int32, _ code: HTTP2Code) {
        guard streams[stream]?.isClosed == false else { return broken("a stream ends twice") }
        streams[stream]?.isClosed = true
        if code != .noError { hasResets = true }
    }

    func refusedOverLimit() { hasResets = true }
}
