import ArgumentParser
import Calling
import HTTPMessage
import HTTPTypes
import Loop
import TLS

/// Calls as services make them: tasks on the client's core, each with one request at a time. `Rows/load/calls.c` does the same
/// by libcurl.
struct Calls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls", abstract: "POST requests of 300 bytes over mutual TLS that were answered, per second.")

    @Option(help: "The server, such as https://localhost:18907.") var base: String
    @Option(help: "The folder of certificates that `prepare-suite` filled.") var folder: String
    @Option(help: "Requests at one time.") var tasks = 16
    @Option(help: "How long to measure.") var seconds: Double = 4

    func run() async throws {
        let files = TLSFiles(
            certificate: "\(folder)/metadata-proxy.pem", key: "\(folder)/metadata-proxy.key",
            authorities: "\(folder)/authority.pem")
        let client = try HTTPClient(base: base, tls: files, name: "measured")
        // The handshakes come before what is measured.
        _ = try await repeating(client, until: .now + .milliseconds(500))
        try await Measurement.of { try await repeating(client, until: .now + .seconds(seconds)) }.report()
        await client.close()
    }

    private func repeating(_ client: HTTPClient, until end: ContinuousClock.Instant) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks {
                group.addTask(executorPreference: Cores.shared.all[0]) {
                    var fields = FieldLines()
                    fields.append(.contentType, "application/json")
                    let request = ClientRequest(
                        .post, "/measure", fields: fields, body: [UInt8](repeating: 0x61, count: 300))
                    var answers = 0
                    while ContinuousClock.now < end {
                        let answer = try await client.send(request, within: .seconds(5), limit: 1024)
                        guard answer.status == .ok, answer.body.count == 100 else { throw ExitCode.failure }
                        answers += 1
                    }
                    return answers
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
