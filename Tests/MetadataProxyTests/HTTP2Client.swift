import HTTP2
import HTTPMessage
import HTTPTypes
import Testing

/// A client of HTTP/2 on a stage's connection.
final class HTTP2Client: HTTP2SessionDelegate {
    /// A frame as it was on the wire.
    struct Frame {
        let type: UInt8
        let stream: Int32
        /// With its head.
        let length: Int
        let payload: [UInt8]
    }

    let session: HTTP2Session
    private let stage: CoreStage
    private(set) var heads: [Int32: ResponseHead] = [:]
    private(set) var bodies: [Int32: [UInt8]] = [:]
    private(set) var order: [Int32] = []

    /// - Parameter window: how many bytes of an answer's body it takes.
    init(_ stage: CoreStage, window: Int = 65_535) throws {
        self.stage = stage
        var limits = HTTP2Limits.client
        limits.streamWindow = window
        session = try HTTP2Session(.client, limits: limits)
        session.delegate = self
        stage.client.watch = { [session] bytes in try? session.receive(bytes.span) }
        let settings = stage.client.bytes
        try session.receive(settings.span)
        flush()
        _ = stage.client.take()
    }

    func response(_ stream: Int32, _ head: ResponseHead, ends: Bool) { heads[stream] = head }
    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { bodies[stream, default: []].append(contentsOf: $0) }
    }
    func end(_ stream: Int32) { order.append(stream) }
    func closed(_ stream: Int32, _ code: HTTP2Code) {}

    /// Queues a request.
    ///
    /// - Returns: its stream.
    @discardableResult
    func submit(
        _ path: String = "/version/v1/tan", method: HTTPRequest.Method = .post, media: String = "application/json",
        body: HTTP2Body? = .bytes(Array("{}".utf8))
    ) throws -> Int32 {
        var fields = FieldLines()
        fields.append(.contentType, media)
        return try #require(
            try session.submitRequest(method, authority: "a", target: path, fields: fields, body: body))
    }

    /// Sends what is queued, in one piece.
    func flush() {
        var bytes: [UInt8] = []
        session.drain(into: &bytes)
        stage.send(bytes)
    }

    /// The frames that have come since they were taken.
    func takeFrames() -> [Frame] {
        let bytes = stage.client.take()
        var frames: [Frame] = []
        var start = 0
        while start + 9 <= bytes.count {
            let length = bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            let stream = bytes[start + 5..<start + 9].reduce(0) { $0 << 8 | UInt32($1) }
            frames.append(
                Frame(
                    type: bytes[start + 3], stream: Int32(truncatingIfNeeded: stream), length: 9 + length,
                    payload: Array(bytes[start + 9..<start + 9 + length])))
            start += 9 + length
        }
        return frames
    }

    /// What each answer took since it was last asked, by stream.
    func takeLengths() -> [Int32: Int] {
        takeFrames().reduce(into: [:]) { lengths, frame in
            if frame.type <= 1 { lengths[frame.stream, default: 0] += frame.length }
        }
    }
}
