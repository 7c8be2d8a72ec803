import HTTPMessage
import HTTPTypes
import Testing

@testable import HTTP2

/// What a session reports, in words, and what is done about it.
final class Recorder: HTTP2SessionDelegate {
    enum Event: Equatable {
        case request(Int32, String)
        case refused(Int32, Int)
        case response(Int32, Int)
        case body(Int32, Int)
        case end(Int32)
        case sent(Int32)
        case closed(Int32, HTTP2Code)
        case goAway(Int32, HTTP2Code)
        case settings
        case pong
        case overLimit
    }

    var events: [Event] = []
    var bodies: [Int32: [UInt8]] = [:]
    var requests: [Int32: RequestHead] = [:]
    var responses: [Int32: ResponseHead] = [:]
    var goAwayData: [UInt8] = []
    var onRequest: (Int32, RequestHead) -> Void = { _, _ in }
    var onRefused: (Int32, Violation) -> Void = { _, _ in }
    var onBody: (Int32, Int) -> Void = { _, _ in }
    var onEnd: (Int32) -> Void = { _ in }

    func request(_ stream: Int32, _ head: RequestHead, ends: Bool) {
        events.append(.request(stream, head.target))
        requests[stream] = head
        onRequest(stream, head)
    }

    func refused(_ stream: Int32, _ violation: Violation) {
        events.append(.refused(stream, violation.status))
        onRefused(stream, violation)
    }

    func response(_ stream: Int32, _ head: ResponseHead, ends: Bool) {
        events.append(.response(stream, head.status.code))
        responses[stream] = head
    }

    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        events.append(.body(stream, bytes.count))
        bytes.withUnsafeBufferPointer { bodies[stream, default: []].append(contentsOf: $0) }
        onBody(stream, bytes.count)
    }

    func end(_ stream: Int32) {
        events.append(.end(stream))
        onEnd(stream)
    }

    func sent(_ stream: Int32) { events.append(.sent(stream)) }
    func closed(_ stream: Int32, _ code: HTTP2Code) { events.append(.closed(stream, code)) }

    func goAway(lastStream: Int32, _ code: HTTP2Code, data: [UInt8]) {
        events.append(.goAway(lastStream, code))
        goAwayData = data
    }

    func settingsChanged() { events.append(.settings) }
    func refusedOverLimit() { events.append(.overLimit) }
    func pingAnswered() { events.append(.pong) }
}

/// A session with a recorder, opposite to frames that a test writes by hand.
final class Endpoint {
    let session: HTTP2Session
    let recorder = Recorder()
    let decoder = Decoder()
    var frames: [Frame] = []
    var time: UInt64 = 1

    init(_ role: HTTP2Session.Role, _ change: (inout HTTP2Limits) -> Void = { _ in }) throws {
        var limits = role == .client ? HTTP2Limits.client : HTTP2Limits()
        change(&limits)
        var clock: () -> UInt64 = { 1 }
        let bucket = EffortBucket(capacity: limits.effort, perSecond: limits.effortPerSecond) { clock() }
        session = try HTTP2Session(role, limits: limits, bucket: bucket)
        session.delegate = recorder
        clock = { [unowned self] in time }
    }

    /// A server that has taken a client's preface, and answers every complete request with 201.
    static func server(
        settings values: (UInt16, UInt32)..., preface start: [UInt8] = preface,
        change: (inout HTTP2Limits) -> Void = { _ in }
    ) throws -> Endpoint {
        let server = try Endpoint(.server, change)
        let session = server.session
        server.recorder.onEnd = { [unowned session] in
            session.submitResponse($0, status: 201, fields: FieldLines(), body: .bytes(Array("done".utf8)))
        }
        server.recorder.onRefused = { [unowned session] in
            session.submitResponse($0, status: HTTPResponse.Status(code: $1.status), fields: FieldLines(), body: nil)
        }
        let payload = values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + $0.1.big }
        server.take(start + Frame(type: Frame.settings, payload: payload).bytes)
        return server
    }

    /// A client whose peer's settings have arrived.
    static func client(
        settings values: (UInt16, UInt32)..., change: (inout HTTP2Limits) -> Void = { _ in }
    ) throws -> Endpoint {
        let client = try Endpoint(.client, change)
        let payload = values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + $0.1.big }
        client.take(Frame(type: Frame.settings, payload: payload).bytes)
        return client
    }

    /// Gives bytes to the session; what it writes is added to ``frames``.
    @discardableResult
    func take(_ bytes: [UInt8]) -> [Frame] {
        try? session.receive(bytes.span)
        return drain()
    }

    @discardableResult
    func drain(atMost limit: Int = .max) -> [Frame] {
        var bytes: [UInt8] = []
        session.drain(into: &bytes, atMost: limit)
        if bytes.starts(with: preface) { bytes.removeFirst(preface.count) }
        let new = Frame.all(in: bytes)
        frames += new
        return new
    }

    func submit(
        _ method: HTTPRequest.Method = .post, target: String = "/version/v1/tan", body: String? = "body"
    ) throws -> Int32 {
        let stream = try session.submitRequest(
            method, authority: "localhost", target: target, fields: FieldLines(),
            body: body.map { .bytes(Array($0.utf8)) })
        return try #require(stream)
    }

    /// The status of the answer on a stream.
    func status(_ stream: Int32) -> String? {
        frames.lazy.filter { $0.type == Frame.headers && $0.stream == stream }
            .compactMap { self.decoder.fields($0.payload).first { $0.0 == ":status" }?.1 }.first
    }

    /// Both of two sessions, until neither has anything to say.
    static func exchange(_ left: Endpoint, _ right: Endpoint) {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for (from, to) in [(left, right), (right, left)] {
                var bytes: [UInt8] = []
                from.session.drain(into: &bytes)
                if !bytes.isEmpty {
                    isQuiet = false
                    try? to.session.receive(bytes.span)
                }
            }
        }
    }
}
