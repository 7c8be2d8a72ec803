import ArgumentParser
import FoundationEssentials
import HTTPContract
import Hummingbird
import Logging
import Running
import Serving

/// What both JSON servers read.
private struct Measured: JSONMessage {
    let key: String
    let keyType: String
    let requestPadding: String?

    static let schema = JSONSchema.object(["key": .text(), "keyType": .text()], optional: ["requestPadding": .text()])
}

/// What both JSON servers answer.
private struct Answered: JSONMessage, ResponseEncodable {
    let registrationToken: String
    let length: Int

    init(_ request: Measured) {
        registrationToken = request.key
        length = request.requestPadding?.utf8.count ?? 0
    }

    static let schema = JSONSchema.object(["registrationToken": .text(), "length": .wholeNumber])
}

/// A JSON operation mounted as every service mounts its own, on a plain listener: body limit, media type, deadline,
/// metrics and access log are on.
struct ServingJSON: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serving-json", abstract: "Serve POST /measure through Serving.")

    @Option(help: "The port on 127.0.0.1.") var port: Int

    func run() async throws {
        let runtime = ServiceRuntime(
            name: "benchmark", settings: [:], clock: .system,
            logger: Logger(label: "benchmark") { JSONLogHandler(label: $0, level: .warning) })
        let endpoint = Endpoint<Measured, Answered>(
            .post, "/measure", callers: [], bodyLimit: 64 * 1024, summary: "Answers with the length of the padding.")
        let listener = Listener(name: "measure", host: "127.0.0.1", port: port, security: .plain) { routes in
            routes.on(endpoint) { request, _ in Answered(request) }
        }
        try await runtime.run(listeners: [listener])
    }
}

/// The same operation as a route of Hummingbird's own, with nothing around it.
struct BareHummingbirdJSON: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-hummingbird-json", abstract: "Serve POST /measure through Hummingbird's router.")

    @Option(help: "The port on 127.0.0.1.") var port: Int

    func run() async throws {
        let router = Router()
        router.post("measure") { request, context in
            Answered(try await request.decode(as: Measured.self, context: context))
        }
        var logger = Logger(label: "benchmark")
        logger.logLevel = .warning
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger)
        try await application.runService()
    }
}
