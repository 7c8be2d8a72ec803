import ArgumentParser
import Calling
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Logging
import MetadataProxy
import Running
import Serving
import TLS

/// The metadata proxy with a schedule that doesn't wait: what a request costs the proxy itself.
struct ProxyServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Forward GET /measure and POST /measure.")

    @Option(help: "The port on 127.0.0.1.") var port: Int
    @Option(help: "The service behind, such as http://127.0.0.1:18911.") var upstream: String
    @Option(help: "The folder with certificate.pem and key.pem; without it HTTP is plain.") var tls: String?

    func run() async throws {
        let runtime = ServiceRuntime(
            name: "benchmark", settings: [:], clock: .system,
            logger: Logger(label: "benchmark") { JSONLogHandler(label: $0, level: .warning) })
        let service = try HTTPClient.upstream(upstream, tls: nil, name: "measured")
        var plan = ProxyPlan(
            listener: "listen", schedule: ImmediateSchedule(),
            bytesInFlight: BytesInFlight(limit: 256 << 20, metrics: runtime.metrics),
            limit: PrefixLimit(1_000_000_000, clock: .system), metrics: runtime.metrics)
        let get = Endpoint<NoContent, MeasuredBody>(.get, "/measure", callers: [], bodyLimit: 0, summary: "Answers.")
        let post = Endpoint<MeasuredBody, MeasuredBody>(
            .post, "/measure", callers: [], bodyLimit: 100_000, summary: "Answers.")
        plan.forward(EndpointDescription(get), to: service)
        plan.forward(EndpointDescription(post), to: service)
        let listener = plan.listener(
            host: "127.0.0.1", port: port, connections: 20_000, connectionsOfPrefix: 20_000,
            connectionBytes: 256 << 10, idle: .seconds(600), life: .seconds(3600),
            tls: tls.map { TLSFiles(certificate: "\($0)/certificate.pem", key: "\($0)/key.pem", authorities: nil) })
        try await runtime.run(listeners: [listener], services: [service])
    }
}

/// Answers leave as soon as they are known: a benchmark measures work, not waiting.
private struct ImmediateSchedule: AnswerSchedule {
    let patience: Duration = .seconds(2)
    func requestArrived(_ exchange: ProxyExchange) {}
    func answerReady(_ exchange: ProxyExchange) { exchange.leave() }
}

/// A body that nobody reads.
private struct MeasuredBody: WireMessage {
    static var mediaType: MediaType? { .json }
    static var headerNames: [HTTPField.Name] { [] }
    init(fields: HTTPFields, body: Data) throws(MalformedMessage) {}
    func encoded() -> EncodedMessage { EncodedMessage() }
}
