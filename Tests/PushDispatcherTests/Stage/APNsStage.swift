import Crypto
import DevelopmentAPNs
import Foundation
import Logging
import Running
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

@testable import PushDispatcher

/// The client and a simulated service, over TLS on this machine.
struct APNsStage {
    let service: SimulatedAPNs
    let client: APNsClient
    let metrics: PrometheusMetrics
    let clock: ManualClock

    static let topic = "org.example.app"
    static let team = "TEAM123456"
    static let keyID = "KEY1234567"
    /// Any time will do.
    static let start = Date(timeIntervalSince1970: 1_790_000_000)

    /// - Parameters:
    ///   - rules: changes to the service's usual rules.
    ///   - timing: by default backoff is short and timeouts are long.
    ///   - certificate: whether the client authenticates by a certificate instead of a token.
    ///   - seconds: by how many the service's clock is ahead.
    ///   - serves: whether there is a service at all.
    static func run<R: Sendable>(
        rules change: (inout SimulatedRules) -> Void = { _ in }, timing: (inout APNsTiming) -> Void = { _ in },
        settings extra: [String: String] = [:], certificate: Bool = false, serves: Bool = true,
        serviceAhead seconds: Double = 0,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (APNsStage) async throws -> R
    ) async throws -> R {
        let certificates = try TestCertificates()
        let key = P256.Signing.PrivateKey()
        let clock = ManualClock(start)
        var rules = SimulatedRules(topic: topic, team: team, keys: [keyID: key.publicKey])
        rules.updates = .perKey
        change(&rules)
        let service = SimulatedAPNs(
            rules, clock: WallClock { clock.now.addingTimeInterval(seconds) }, random: SeededGenerator(seed: 8))
        let listener = service.listener(
            "production", host: "127.0.0.1", port: 0, tls: try certificates.files(role: nil))
        let metrics = PrometheusMetrics()
        return try await withService(listeners: serves ? [listener] : []) { _ in
            let port = serves ? try await listener.boundPort : TestPort.free()
            var settings = [
                "apns.topic": topic, "apns.authorities": certificates.directory + "/authority.pem",
                "apns.production.host": "localhost", "apns.production.port": String(port),
                "apns.sandbox.host": "localhost", "apns.sandbox.port": String(port),
            ]
            if certificate {
                let files = try certificates.files(role: nil)
                settings["apns.certificate"] = files.certificate
                settings["apns.certificateKey"] = files.key
            } else {
                let path = certificates.directory + "/key.p8"
                try Data(key.pemRepresentation.utf8).write(to: URL(filePath: path))
                settings["apns.teamID"] = team
                settings["apns.keyID"] = keyID
                settings["apns.key"] = path
            }
            settings.merge(extra) { $1 }
            var plan = try APNsPlan(Settings(settings), clock: clock.clock)
            plan.timing.backoffBase = .milliseconds(1)
            plan.timing.backoffCap = .milliseconds(10)
            // An unoptimised server that shares its cores with other tests takes its time.
            plan.timing.reply = .seconds(90)
            plan.timing.connect = .seconds(60)
            timing(&plan.timing)
            let client = APNsClient(
                plan, clock: clock.clock, metrics: metrics, logger: logger, random: SeededGenerator(seed: 3))
            let result: Result<R, any Error>
            do {
                result = .success(
                    try await body(APNsStage(service: service, client: client, metrics: metrics, clock: clock)))
            } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        }
    }

    /// Sends pushes for tokens, all of them to be kept for two hours.
    func send(_ numbers: some Sequence<Int>, suspect: Set<Int> = []) async throws -> [PushOutcome] {
        let pushes = try numbers.map { number in
            try Self.push(number, isSuspect: suspect.contains(number))
        }
        return await client.send(pushes, expiration: clock.now.addingTimeInterval(7200))
    }

    /// The push for a number.
    static func push(
        _ number: Int, environment: APNsEnvironment = .production, isSuspect: Bool = false
    ) throws -> SilentPush {
        SilentPush(
            token: try #require(PushToken(token(number))), environment: environment, id: id(number),
            isSuspect: isSuspect)
    }

    /// A recognisable token.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "cafe" + String(repeating: "0", count: 60 - digits.count) + digits
    }

    /// The id of a token's push.
    static func id(_ number: Int) -> UUID {
        withUnsafeBytes(of: UInt64(number).bigEndian) { number in
            UUID(
                uuid: (
                    0, 1, 2, 3, 4, 5, 6, 7, number[0], number[1], number[2], number[3], number[4], number[5], number[6],
                    number[7]
                ))
        }
    }
}
