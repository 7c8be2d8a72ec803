import ArgumentParser
import FoundationEssentials
import HTTPMessage
import HTTPTypes
import Logging
import Loop
import Running
import Serving
import TLS

/// A server that knows its answers: what sockets, TLS and HTTP cost by themselves, without routes, tasks and JSON.
struct ServingBare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serving-bare", abstract: "Answer every request with 100 bytes, and /large with a megabyte.")

    @Option(help: "The port on 127.0.0.1 without TLS.") var port: Int
    @Option(help: "The port with TLS, over HTTP/1.1 and HTTP/2.") var securePort: Int
    @Option(help: "The folder of certificates that `prepare-suite` filled.") var folder: String

    func run() async throws {
        let runtime = ServiceRuntime(
            name: "benchmark", settings: [:], clock: .system,
            logger: Logger(label: "benchmark") { JSONLogHandler(label: $0, level: .warning) })
        var limits = Limits.outer
        limits.connections = 15_000
        limits.connectionsOfPrefix = nil
        limits.sendBuffer = nil
        limits.otherFiles = 500
        // Idle connections are counted after all are open.
        limits.idle = .seconds(600)
        let files = TLSFiles(
            certificate: "\(folder)/verification-server.pem", key: "\(folder)/verification-server.key", authorities: nil
        )
        let answers = KnownAnswers()
        try await runtime.run(listeners: [
            Listener(name: "clear", host: "127.0.0.1", port: port, security: .plain, limits: limits) { _ in
                BareServer(answers)
            },
            Listener(
                name: "secure", host: "127.0.0.1", port: securePort, security: .publicTLS(files), limits: limits
            ) { _ in BareServer(answers) },
        ])
    }
}

private struct KnownAnswers {
    let small = ServerAnswer(.ok, fields: Self.fields, body: ResponseBody([UInt8](repeating: 0x61, count: 100)))
    let large = ServerAnswer(
        .ok, fields: Self.fields, body: ResponseBody(sharing: [UInt8](repeating: 0x61, count: 1 << 20)[...]))

    private static var fields: FieldLines {
        var fields = FieldLines()
        fields.append(.contentType, "application/octet-stream")
        return fields
    }
}

private final class BareServer: RequestServer {
    private let answers: KnownAnswers

    init(_ answers: KnownAnswers) { self.answers = answers }

    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? {
        BareExchange(exchange, exchange.head.target == "/large" ? answers.large : answers.small)
    }

    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer { ServerAnswer(status) }
}

private final class BareExchange: ExchangeHandler {
    private let exchange: ServerExchange
    private let answer: ServerAnswer

    init(_ exchange: ServerExchange, _ answer: ServerAnswer) {
        self.exchange = exchange
        self.answer = answer
    }

    func body(_ bytes: Span<UInt8>) {}
    func end() { exchange.send(answer) }
    func overruled(_ status: HTTPResponse.Status) -> ServerAnswer { ServerAnswer(status) }
    func gone() {}
}
