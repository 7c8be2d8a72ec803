import Credentials
import Crypto
import DevelopmentAPNs
import DevelopmentSuite
import Foundation
import Glibc
import HTTPContract
import Postgres
import Running
import Schema
import Serving
import TLS
import TestSupport
import Testing

@testable import PushDispatcher
@testable import Vigil

/// A whole wave, sent by dispatchers that are killed, to a simulated APNs that sends GOAWAY and resets streams.
///
/// `VIGIL_WAVE=200000` sets the number of phones; the default is a few thousand.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(15)))
struct PushWaveKillTests {
    private static let phones =
        ProcessInfo.processInfo.environment["VIGIL_WAVE"].flatMap { Int($0) }.map { max($0, 4000) } ?? 6000
    private static let kills = 3

    @Test("three SIGKILLs, GOAWAYs and resets: no live phone is missed, repeats stay within a page, memory is flat")
    func killed() async throws {
        try await Stage.run { stage in
            let dead = Set((0..<Self.phones).filter { $0.isMultiple(of: 20) })
            // A batch that fits into the statement timeout.
            for first in stride(from: 0, to: Self.phones, by: 10_000) {
                try await stage.register(first..<min(first + 10_000, Self.phones))
            }
            for number in dead {
                stage.service.answer(
                    Stage.token(number), always: .reply(status: 410, reason: "Unregistered", timestamp: Date()))
            }
            stage.service.fail(oneIn: 3000, with: .goAway(SimulatedGoAway(last: .previous)))
            stage.service.fail(oneIn: 1000, with: .reset(code: 7))

            let live = Self.phones - dead.count
            var peaks: [Int] = []
            for part in 1...Self.kills + 1 {
                let process = try await stage.start()
                if part <= Self.kills {
                    let goal = live * part / (Self.kills + 1)
                    while stage.service.totals.accepted < goal { try await stage.rest(process) }
                    peaks.append(try Self.peakMemory(of: process))
                    process.send(SIGKILL)
                    #expect(try await process.end() == .signal(SIGKILL))
                } else {
                    while try await stage.wave().outcome == nil { try await stage.rest(process) }
                    peaks.append(try Self.peakMemory(of: process))
                    process.send(SIGTERM)
                    let end = try await process.end()
                    let log = try String(contentsOfFile: stage.log, encoding: .utf8)
                    #expect(end == .status(0), "\(end): \(log.suffix(2000))")
                }
            }

            let wave = try await stage.wave()
            #expect(wave.outcome == .finished && wave.sent == Self.phones)
            var repeats = 0
            var missed = 0
            var renamed = 0
            for number in 0..<Self.phones where !dead.contains(number) {
                let accepted = stage.service.accepted(token: Stage.token(number))
                if accepted == 0 { missed += 1 } else { repeats += accepted - 1 }
                let name = stage.vault.pushID(
                    wave: wave.id.bytes, instance: stage.vault.hash(instance: Secret("phone \(number)")))
                if stage.service.accepted(id: name) != accepted { renamed += 1 }
            }
            #expect(missed == 0)
            #expect(renamed == 0)
            #expect(repeats <= Self.kills * WavePage.size)
            #expect(try await stage.registrations() == live)
            // Memory grows with a page of tokens, not with the table. These are the peaks of four processes; the first one had
            // the whole table ahead of it.
            #expect((peaks.max() ?? 0) < 256 << 10)
            let said =
                "\(Self.phones) phones, \(repeats) repeats, peaks of \(peaks) KiB, "
                + "\(stage.service.totals.connections) connections"
            if Self.phones > 6000 { Console.say(said) }
        }
    }

    /// The peak memory in KiB.
    private static func peakMemory(of process: ChildProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// The simulated APNs in this process, and the dispatcher as a process of its own with its own database.
    private struct Stage: Sendable {
        let service: SimulatedAPNs
        let vault: TokenVault
        let client: PostgresClient
        let configuration: String
        let log: String

        static func token(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }

        static func run(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
            try await TestPostgres.withMigratedDatabase { database in
                let certificates = try TestCertificates()
                let key = P256.Signing.PrivateKey()
                var rules = SimulatedRules(
                    topic: SimulatedAccount.topic, team: SimulatedAccount.team,
                    keys: [SimulatedAccount.keyID: key.publicKey])
                rules.updates = .perConnection
                let service = SimulatedAPNs(rules, clock: .system, random: SeededGenerator(seed: 7))
                let listener = service.listener(
                    "production", host: "127.0.0.1", port: 0, tls: try certificates.files(role: nil))
                let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
                let keyFile = certificates.directory + "/apns-key.p8"
                let secretFile = certificates.directory + "/token-key"
                try Data(key.pemRepresentation.utf8).write(to: URL(filePath: keyFile))
                try Data(secret.hex.utf8).write(to: URL(filePath: secretFile))
                try await withService(listeners: [listener]) { _ in
                    let port = try await listener.boundPort
                    let files = try certificates.files(role: .pushDispatcher)
                    let settings = try SettingsFile([
                        "listen.port": .number(TestPort.free()), "admin.port": .number(TestPort.free()),
                        "postgres.connection": .text(database.connection(as: .pushDispatcher)),
                        "secrets.tokenKey": .text(secretFile), "tls.certificate": .text(files.certificate),
                        "tls.key": .text(files.key),
                        "tls.authorities": .text("\(certificates.directory)/authority.pem"),
                        "waves.spread": .number(0), "apns.topic": .text(SimulatedAccount.topic),
                        "apns.teamID": .text(SimulatedAccount.team), "apns.keyID": .text(SimulatedAccount.keyID),
                        "apns.key": .text(keyFile),
                        "apns.authorities": .text("\(certificates.directory)/authority.pem"),
                        "apns.production.host": .text("localhost"), "apns.production.port": .number(port),
                    ])
                    let configuration = certificates.directory + "/push-dispatcher.json"
                    try Data(settings.text.utf8).write(to: URL(filePath: configuration))
                    try await TestPostgres.withClient(database.superuserConnection) { client in
                        try await body(
                            Stage(
                                service: service, vault: TokenVault(secret: secret), client: client,
                                configuration: configuration, log: certificates.directory + "/push-dispatcher.log"))
                    }
                    // The dispatcher reads its files from the certificates' directory, which is removed with them.
                    withExtendedLifetime(certificates) {}
                }
            }
        }

        /// Registers phones an hour ago, as tokens that APNs has accepted before.
        func register(_ numbers: Range<Int>) async throws {
            let vault = vault
            let hour = RegistrationHour(containing: Date()).number - 1
            try await client.session { session in
                try session.copyIn(
                    into: """
                        push_dispatcher.registration (
                            instance_hash, token_hash, sealed_token, kind, registered_hour, standing)
                        """,
                    columns: [UInt8].self, [UInt8].self, [UInt8].self, Int16.self, Int32.self, Int16.self
                ) { table in
                    for number in numbers {
                        let token = Secret(Self.token(number))
                        let hash = vault.hash(token: token)
                        try table.row(
                            vault.hash(instance: Secret("phone \(number)")).bytes, hash.bytes,
                            try vault.seal(token, hash: hash), 0, hour, 1)
                    }
                }
            }
        }

        func start() async throws -> ChildProcess {
            try await ChildProcess.start(
                .init(try BuiltProgram.path("push-dispatcher"), ["--config", configuration], log: log))
        }

        /// Pauses between two polls; throws if the dispatcher has ended.
        func rest(_ process: ChildProcess) async throws {
            guard process.exit == nil else {
                throw CommandFailure("push-dispatcher ended: \(try String(contentsOfFile: log, encoding: .utf8))")
            }
            try await Task.sleep(for: .milliseconds(2))
        }

        func wave() async throws -> (id: WaveID, outcome: WaveOutcome?, sent: Int) {
            let row = try await client.session { session in
                try session.row(
                    "SELECT id, outcome, sent FROM push_dispatcher.wave ORDER BY started_at LIMIT 1",
                    as: [UInt8].self, String?.self, Int32.self)
            }
            let (id, outcome, sent) = try #require(row)
            return (WaveID(bytes: id), outcome.flatMap(WaveOutcome.init(rawValue:)), Int(sent))
        }

        func registrations() async throws -> Int {
            let count = try await client.session { session in
                try session.row("SELECT count(*) FROM push_dispatcher.registration", as: Int64.self)
            }
            return Int(count ?? -1)
        }
    }
}
