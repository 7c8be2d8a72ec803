import ArgumentParser
import FoundationEssentials
import Logging
import PushDispatcher
import Running

/// The push dispatcher's client against a server that speaks HTTP/2: window after window, as a wave sends them.
struct PushLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushes", abstract: "Silent pushes that were accepted, over one connection.")

    @Option(help: "The server's port on localhost.") var port: Int
    @Option(help: "PEM file with the authority of its certificate.") var authorities: String
    @Option(help: "The signing key, as Apple's .p8 files are.") var key: String
    @Option(help: "How long.") var seconds: Double = 4

    /// How many tokens there are: `deploy/bench.sh` makes a file for each.
    static let tokens = 1000

    func run() async throws {
        let settings = Settings([
            "apns.topic": "org.example.app", "apns.teamID": "TEAM123456", "apns.keyID": "KEY1234567", "apns.key": key,
            "apns.authorities": authorities, "apns.production.host": "localhost", "apns.production.port": "\(port)",
            "apns.rate": "1000000",
        ])
        let client = APNsClient(
            try APNsPlan(settings, clock: .system), clock: .system, metrics: PrometheusMetrics(),
            logger: Logger(label: "pushes") { _ in SwiftLogNoOpLogHandler() })
        let pushes = (0..<Self.tokens).compactMap { number in
            PushToken(Self.token(number)).map {
                SilentPush(token: $0, environment: .production, id: UUID(), isSuspect: false)
            }
        }
        // The connection, its first push, and whatever is done once.
        _ = try await send(pushes, client)
        let measurement = try await Measurement.of {
            let end = ContinuousClock.now + .seconds(seconds)
            var accepted = 0
            while ContinuousClock.now < end { accepted += try await send(pushes, client) }
            return accepted
        }
        await client.close()
        try measurement.report()
    }

    private func send(_ pushes: [SilentPush], _ client: APNsClient) async throws -> Int {
        let outcomes = await client.send(pushes, expiration: WallClock.system.now.addingTimeInterval(7200))
        let accepted = outcomes.count { $0 == .accepted }
        guard accepted == pushes.count else { throw ExitCode.failure }
        return accepted
    }

    private static func token(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
}
