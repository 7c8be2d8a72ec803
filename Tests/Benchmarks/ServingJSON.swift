import ArgumentParser
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Logging
import Running
import Serving
import TLS

/// What the server reads.
private struct Measured: JSONMessage {
    let key: String
    let keyType: String
    let requestPadding: String?

    static let schema = JSONSchema.object(["key": .text(), "keyType": .text()], optional: ["requestPadding": .text()])
}

/// What it answers.
private struct Answered: JSONMessage {
    let registrationToken: String
    let length: Int

    init(_ request: Measured) {
        registrationToken = request.key
        length = request.requestPadding?.utf8.count ?? 0
    }

    static let schema = JSONSchema.object(["registrationToken": .text(), "length": .wholeNumber])
}

/// A JSON operation mounted as every service mounts its own: mutual TLS, the caller's role, body limit, media type, deadline
/// and metrics are on.
struct ServingJSON: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serving-json", abstract: "Serve POST /measure through Serving.")

    @Option(help: "The port on 127.0.0.1.") var port: Int
    @Option(help: "The folder of certificates that `prepare-suite` filled.") var folder: String

    func run() async throws {
        let runtime = ServiceRuntime(
            name: "benchmark", settings: [:], clock: .system,
            logger: Logger(label: "benchmark") { JSONLogHandler(label: $0, level: .warning) })
        let endpoint = Endpoint<Measured, Answered>(
            .post, "/measure", callers: [.metadataProxy], bodyLimit: 64 * 1024,
            summary: "Answers with the length of the padding.")
        let files = TLSFiles(
            certificate: "\(folder)/verification-server.pem", key: "\(folder)/verification-server.key",
            authorities: "\(folder)/authority.pem")
        let listener = Listener(name: "measure", host: "127.0.0.1", port: port, security: .mutualTLS(files)) { routes in
            routes.on(endpoint) { request, _ in Answered(request) }
        }
        try await runtime.run(listeners: [listener])
    }
}
