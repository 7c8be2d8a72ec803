import ArgumentParser
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Logging
import MetadataProxy
import NIOCore
import NIOPosix
import Running
import Serving
import TLS

/// The metadata proxy, unless asked otherwise with a schedule that doesn't wait: what a request costs the proxy itself.
struct ProxyServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Forward GET /measure and POST /measure.")

    @Option(help: "The port on 127.0.0.1.") var port: Int
    @Option(help: "The service behind, such as http://127.0.0.1:18911.") var upstream: String
    @Option(help: "The folder with certificate.pem and key.pem; without it HTTP is plain.") var tls: String?
    @Option(help: "The folder with the same files for the service behind, whose certificate is the only one trusted.")
    var upstreamTLS: String?
    @Option(help: "Milliseconds from a request to its answer; without it answers leave as soon as they are known.")
    var deadline: Int?

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let runtime = ServiceRuntime(
            name: "benchmark", settings: [:], clock: .system,
            logger: Logger(label: "benchmark") { JSONLogHandler(label: $0, level: .warning) })
        let service = try Upstream(
            base: upstream, tls: upstreamTLS.map { Self.files(in: $0, trusting: "\($0)/certificate.pem") },
            name: "measured", on: group)
        let schedule: any AnswerSchedule =
            deadline.map { DeadlineSchedule(interval: .milliseconds(Int64($0))) } ?? ImmediateSchedule()
        var plan = ProxyPlan(
            listener: "listen", schedule: schedule,
            bytesInFlight: BytesInFlight(limit: 256 << 20, metrics: runtime.metrics),
            limit: PrefixLimit(1_000_000_000, clock: .system), clock: .system, metrics: runtime.metrics)
        let get = Endpoint<NoContent, MeasuredBody>(.get, "/measure", callers: [], bodyLimit: 0, summary: "Answers.")
        let post = Endpoint<MeasuredBody, MeasuredBody>(
            .post, "/measure", callers: [], bodyLimit: 100_000, summary: "Answers.")
        plan.forward(EndpointDescription(get), to: service)
        plan.forward(EndpointDescription(post), to: service)
        let listener = try AppListener(
            "listen", of: "benchmark", host: "127.0.0.1", port: port, connections: 20_000,
            connectionBytes: 256 << 10, limit: ConnectionLimit(20_000, metrics: runtime.metrics), idle: .minutes(10),
            life: .hours(1), tls: tls.map { Self.files(in: $0, trusting: nil) }, plan: plan, on: group)
        try await runtime.run(listeners: [], services: [service, listener])
    }

    private static func files(in folder: String, trusting authorities: String?) -> TLSFiles {
        TLSFiles(certificate: "\(folder)/certificate.pem", key: "\(folder)/key.pem", authorities: authorities)
    }
}

/// Answers leave as soon as they are known: a benchmark measures work, not waiting.
private struct ImmediateSchedule: AnswerSchedule {
    let patience: TimeAmount = .seconds(2)
    func requestArrived(_ answer: PendingAnswer) {}
    func answerReady(_ answer: PendingAnswer) { answer.leave() }
}

/// A body that nobody reads.
private struct MeasuredBody: WireMessage {
    static var mediaType: MediaType? { .json }
    static var headerNames: [HTTPField.Name] { [] }
    init(fields: HTTPFields, body: Data) throws(MalformedMessage) {}
    func encoded() -> EncodedMessage { EncodedMessage() }
}
