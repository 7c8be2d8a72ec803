import FileAnswers
import FoundationEssentials
import HTTPMessage
import HTTPTypes
import Loop
import Running
import Serving
import TLS

/// Serves the published tree over HTTP/1.1 on one core, with or without TLS.
///
/// It answers on the level below routes because the work for a request is small compared to what a task adds.
final class FileServer: RequestServer {
    private let files: ServedFiles
    private let metrics: FileServerMetrics

    /// The limit for a TLS handshake, for a request's header, and for the pause between requests.
    private static let idleTimeout = Duration.seconds(60)
    /// The lowest rate at which a caller may receive an answer, in bytes a second.
    private static let minimumRate = 8_000
    /// How long callers may continue to receive answers during shutdown.
    private static let shutdownTimeout = Duration.seconds(20)
    /// File descriptors that aren't connections; a generous estimate.
    private static let otherFiles = 256
    private static let headerBytes = 8 << 10
    /// A body has no meaning here; a longer one ends the connection.
    private static let discardedBytes = 64 << 10

    init(_ files: ServedFiles, _ metrics: FileServerMetrics) {
        self.files = files
        self.metrics = metrics
    }

    /// The listener for apps, from the keys that the README lists.
    static func listener(_ runtime: ServiceRuntime) throws(ConfigurationProblem) -> Listener {
        let settings = runtime.configuration
        let root = try settings.directory("directory").path
        let hasFurther = settings.optionalString("further.directory") != nil
        let further = hasFurther ? try settings.directory("further.directory").path : nil
        let cache = FileCache()
        let metrics = FileServerMetrics(listener: "listen", runtime.metrics)
        let hasTLS = ["public.certificate", "public.key"].contains { settings.optionalString($0) != nil }
        return Listener(
            name: "listen", host: settings.string("listen.host", default: "127.0.0.1"),
            port: try settings.port("listen.port", default: 8040),
            security: hasTLS ? .publicTLS(try TLSFiles(settings, prefix: "public", mutual: false)) : .plain,
            limits: limits(
                connections: try settings.int("listen.connections", default: 4096, in: 1...100_000)),
            protocols: ["http/1.1"], balancers: try Balancers(of: "listen", settings)
        ) { _ in FileServer(ServedFiles(root: root, further: further, cache: cache), metrics) }
    }

    static func limits(connections: Int) -> Limits {
        var limits = Limits.outer
        limits.handshake = idleTimeout
        limits.idle = idleTimeout
        limits.answer = idleTimeout
        limits.answerRate = minimumRate
        limits.drain = shutdownTimeout
        limits.headerBytes = headerBytes
        limits.connections = connections
        // An edge has one address, and files are large.
        limits.connectionsOfPrefix = nil
        limits.sendBuffer = nil
        limits.otherFiles = otherFiles
        return limits
    }

    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? {
        let head = exchange.head
        let answer = FileAnswer(
            to: head,
            file: files.file(
                head.target, accept: head.fields.first(.accept), acceptEncoding: head.fields.first(.acceptEncoding),
                at: exchange.core.now))
        metrics.count(answer.status)
        let encodable = ServerAnswer(answer.status, fields: answer.fields, body: ResponseBody(sharing: answer.body))
        if head.hasBody {
            exchange.refuse(encodable, reading: Self.discardedBytes)
            return nil
        }
        return KnownAnswer(encodable, to: exchange)
    }

    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer {
        // nginx answers whatever violates HTTP with 400, and so do we.
        let isOurs = status == .serviceUnavailable || status == .requestTimeout
        let answer = ServerAnswer(isOurs ? status : .badRequest)
        metrics.count(answer.status)
        return answer
    }
}

/// An answer that waits for the end of its request.
private final class KnownAnswer: ExchangeHandler {
    private let exchange: ServerExchange
    private let answer: ServerAnswer

    init(_ answer: ServerAnswer, to exchange: ServerExchange) {
        self.answer = answer
        self.exchange = exchange
    }

    func body(_ bytes: Span<UInt8>) {}
    func end() { exchange.send(answer) }
    func overruled(_ status: HTTPResponse.Status) -> ServerAnswer { ServerAnswer(status) }
    func gone() {}
}
