import HTTPTypes
import NIOCore
import NIOHTTP1
import Running
import Serving

/// A connection: answers GET and HEAD from the tree, whole or a range of bytes, and not again to whom has it already
/// (RFC 9110, 13 and 14).
final class FileConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let channel: any Channel
    private let files: ServedFiles
    private let date: HTTPDate
    private let metrics: FileServerMetrics
    /// The request that is coming in.
    private var request: HTTPRequestHead?
    private var hasBody = false
    private var isDraining = false
    private var isReadDue = false
    private var isEnding = false

    /// How long a request's header may take, or the pause before it.
    private static let idle: TimeAmount = .seconds(60)
    /// How slowly an answer may be taken, in bytes a second, before the connection is given up.
    private static let leastSpeed = 8_000
    /// How long answers may go on being taken when the service ends.
    private static let farewell: TimeAmount = .seconds(20)

    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [unowned self] in channel.close(promise: nil) }

    init(_ channel: any Channel, files: ServedFiles, date: HTTPDate, metrics: FileServerMetrics) {
        self.channel = channel
        self.files = files
        self.date = date
        self.metrics = metrics
        deadline.set(channel.eventLoop.now + Self.idle)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = head
            hasBody = false
        case .body:
            hasBody = true
        case .end:
            guard let request else { return }
            self.request = nil
            answer(request, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    /// Nothing is read while the caller takes no answers.
    func read(context: ChannelHandlerContext) {
        isReadDue = !context.channel.isWritable
        if !isReadDue { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isReadDue { read(context: context) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        isDraining = true
        if request == nil { end(context) }
        let channel = channel
        channel.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
    }

    /// What is no HTTP, or too long a header.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !isEnding else { return context.close(promise: nil) }
        refuse(.badRequest, closes: true, context)
        context.flush()
        end(context)
    }

    /// Closes when everything is written.
    private func end(_ context: ChannelHandlerContext) {
        guard !isEnding else { return }
        isEnding = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: Answers

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // Who sends a body with such a request wants something else.
        let closes = !request.isKeepAlive || isDraining || hasBody
        defer { if closes { end(context) } }
        guard request.method == .GET || request.method == .HEAD else {
            return refuse(.methodNotAllowed, "allow: GET, HEAD\r\n", closes: closes, context)
        }
        guard let file = files.file(request.uri) else { return refuse(.notFound, closes: closes, context) }
        if let known = request.headers.first(name: "if-none-match"), Self.names(known, file.entityTag) {
            return write(file.unchanged, closes: closes, context)
        }
        // A range of what has changed since is of no use to anybody: then all of it is sent.
        let isUnchanged = request.headers.first(name: "if-range").map { $0 == file.entityTag } ?? true
        guard request.method == .GET, isUnchanged,
            let wanted = request.headers.first(name: "range").flatMap(WantedRange.init)
        else { return write(file.whole, body: request.method == .GET ? file.content : nil, closes: closes, context) }
        let size = file.content.readableBytes
        guard let range = wanted.range(in: size) else {
            let fields = "content-range: bytes */\(size)\r\ncontent-length: 0\r\n"
            return write(FileAnswer(.rangeNotSatisfiable, file.fields + fields), closes: closes, context)
        }
        let fields =
            "content-range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)\r\n"
            + "content-length: \(range.count)\r\n"
        let body = file.content.getSlice(at: file.content.readerIndex + range.lowerBound, length: range.count)
        write(FileAnswer(.partialContent, file.fields + fields), body: body, closes: closes, context)
    }

    private func refuse(
        _ status: HTTPResponse.Status, _ fields: String = "", closes: Bool, _ context: ChannelHandlerContext
    ) {
        write(FileAnswer(status, fields + "content-length: 0\r\n"), closes: closes, context)
    }

    private func write(
        _ answer: FileAnswer, body: ByteBuffer? = nil, closes: Bool, _ context: ChannelHandlerContext
    ) {
        var head = context.channel.allocator.buffer(capacity: answer.head.readableBytes + 64)
        head.writeImmutableBuffer(answer.head)
        head.writeString(date.text)
        if closes { head.writeStaticString("\r\nconnection: close") }
        head.writeStaticString("\r\n\r\n")
        context.write(wrapOutboundOut(head), promise: nil)
        if let body { context.write(wrapOutboundOut(body), promise: nil) }
        metrics.count(answer.status)
        let patience = Int64((body?.readableBytes ?? 0) / Self.leastSpeed)
        deadline.set(context.eventLoop.now + Self.idle + .seconds(patience))
    }

    /// Whether a list of entity tags, some of them weak, has one; `*` stands for any.
    private static func names(_ list: String, _ entityTag: String) -> Bool {
        list == entityTag
            || list.split(separator: ",").contains { tag in
                let tag = tag.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed()
                return tag.elementsEqual("*") || tag.elementsEqual(entityTag) || tag.elementsEqual("W/" + entityTag)
            }
    }
}
