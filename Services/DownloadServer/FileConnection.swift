import HTTPTypes
import NIOCore
import NIOHTTP1
import Running
import Serving

/// A connection: answers GET and HEAD with a file or a range of its bytes, or with 304 if the caller's copy is current
/// (RFC 9110, sections 13 and 14).
final class FileConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let channel: any Channel
    private let files: ServedFiles
    private let date: HTTPDate
    private let metrics: FileServerMetrics
    /// The request that is being received.
    private var request: HTTPRequestHead?
    private var hasBody = false
    private var isDraining = false
    private var isReadDue = false
    private var isClosing = false

    /// The limit for a TLS handshake, for a request's header, and for the pause between requests.
    private static let idleTimeout: TimeAmount = .seconds(60)
    /// The lowest rate at which a caller may receive an answer, in bytes a second.
    private static let minimumRate = 8_000
    /// How long callers may continue to receive answers during shutdown.
    private static let shutdownTimeout: TimeAmount = .seconds(20)

    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [unowned self] in channel.close(promise: nil) }

    init(_ channel: any Channel, files: ServedFiles, date: HTTPDate, metrics: FileServerMetrics) {
        self.channel = channel
        self.files = files
        self.date = date
        self.metrics = metrics
        deadline.set(channel.eventLoop.now + Self.idleTimeout)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
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

    /// Stops reading while the caller doesn't receive its answers.
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
        if request == nil { closeWhenWritten(context) }
        let channel = channel
        channel.eventLoop.scheduleTask(in: Self.shutdownTimeout) { channel.close(promise: nil) }
    }

    /// Answers invalid HTTP and oversized headers.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !isClosing else { return context.close(promise: nil) }
        refuse(.badRequest, closes: true, context)
        context.flush()
        closeWhenWritten(context)
    }

    /// Closes the connection after everything is written.
    private func closeWhenWritten(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: Answers

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // A body has no meaning here, so the connection can't be trusted any further.
        let closes = !request.isKeepAlive || isDraining || hasBody
        defer { if closes { closeWhenWritten(context) } }
        guard request.method == .GET || request.method == .HEAD else {
            return refuse(.methodNotAllowed, "allow: GET, HEAD\r\n", closes: closes, context)
        }
        let file = files.file(
            request.uri, accept: request.headers.first(name: "accept"),
            acceptEncoding: request.headers.first(name: "accept-encoding"))
        guard let file else {
            return refuse(.notFound, closes: closes, context)
        }
        if let known = request.headers.first(name: "if-none-match"), Self.list(known, contains: file.entityTag) {
            return write(file.unchanged, closes: closes, context)
        }
        // If the file has changed, the whole file is sent.
        let isUnchanged = request.headers.first(name: "if-range").map { $0 == file.entityTag } ?? true
        guard request.method == .GET, isUnchanged,
            let requested = request.headers.first(name: "range").flatMap(ByteRange.init)
        else { return write(file.whole, body: request.method == .GET ? file.content : nil, closes: closes, context) }
        let size = file.content.readableBytes
        guard let range = requested.range(in: size) else {
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
        let transferTime = Int64((body?.readableBytes ?? 0) / Self.minimumRate)
        deadline.set(context.eventLoop.now + Self.idleTimeout + .seconds(transferTime))
    }

    /// Whether a list of entity tags, weak ones included, contains one; `*` matches any.
    private static func list(_ list: String, contains entityTag: String) -> Bool {
        list == entityTag
            || list.split(separator: ",").contains { tag in
                let tag = tag.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed()
                return tag.elementsEqual("*") || tag.elementsEqual(entityTag) || tag.elementsEqual("W/" + entityTag)
            }
    }
}
