import Credentials
import Foundation
import Logging
import Postgres
import Running
import Schema
import Synchronization
import TestSupport

@testable import PushDispatcher

/// Waves on a database of their own, with a function in place of APNs.
struct WaveStage: Sendable {
    let database: MigratedDatabase
    let client: PostgresClient
    let clock = ManualClock(DispatcherStage.now)
    let metrics = PrometheusMetrics()
    let vault = TokenVault(secret: [UInt8](repeating: 0x5a, count: 32))
    let apns = ScriptedAPNs()

    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (WaveStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: .pushDispatcher), maximumConnections: 8) {
                try await body(WaveStage(database: database, client: $0))
            }
        }
    }

    var store: WaveStore { WaveStore(client) }

    /// - Parameter databaseClock: if it differs from the stage's.
    func engine(
        databaseClock: ManualClock? = nil, interval: TimeInterval = 7200, pause: TimeInterval = 1800,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        send: (@Sendable ([SilentPush], Date) async -> [PushOutcome])? = nil
    ) -> WaveEngine {
        WaveEngine(
            store: store, vault: vault, schedule: WaveSchedule(interval: interval, pause: pause, spread: 0),
            clock: clock.clock, databaseClock: DatabaseClock(of: client, movedLike: (databaseClock ?? clock).clock),
            send: send ?? { pushes, _ in apns.send(pushes) }, metrics: WaveMetrics(metrics),
            logger: logger)
    }

    // MARK: Registrations

    /// The token of a phone, by number: 64 digits.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Registers phones as requests do, but all at once.
    func register(
        _ numbers: some Sequence<Int>, kind: Device.Kind = .production, hour: Int32? = nil,
        standing: Standing = .accepted
    ) async throws {
        let hour = hour ?? RegistrationHour(containing: clock.now).number - 1
        let rows = try numbers.map { number -> (Digest, Digest, [UInt8]) in
            let token = Secret(Self.token(number))
            let hash = vault.hash(token: token)
            return (vault.hash(instance: Secret("phone \(number)")), hash, try vault.seal(token, hash: hash))
        }
        try await client.session { session in
            try session.copyIn(
                into: """
                    push_dispatcher.registration (
                        instance_hash, token_hash, sealed_token, kind, registered_hour, standing)
                    """,
                columns: [UInt8].self, [UInt8].self, [UInt8].self, Int16.self, Int32.self, Int16.self
            ) { table in
                for (instance, token, sealed) in rows {
                    try table.row(instance.bytes, token.bytes, sealed, kind.rawValue, hour, standing.rawValue)
                }
            }
        }
    }

    /// The numbers of the registered phones, below a bound.
    func registered(below bound: Int) async throws -> Set<Int> {
        let hashes = try await client.session { session in
            try session.rows("SELECT token_hash FROM push_dispatcher.registration", as: [UInt8].self)
        }
        let known = Set(hashes)
        return Set((0..<bound).filter { known.contains(vault.hash(token: Secret(Self.token($0))).bytes) })
    }

    func standing(_ number: Int) async throws -> Int16? {
        let hash = vault.hash(token: Secret(Self.token(number))).bytes
        return try await client.session { session in
            try session.row(
                "SELECT standing FROM push_dispatcher.registration WHERE token_hash = \(hash)", as: Int16.self)
        }
    }

    /// The outcomes of all waves, in the order of their start.
    func outcomes() async throws -> [String?] {
        try await client.session { session in
            try session.rows("SELECT outcome FROM push_dispatcher.wave ORDER BY started_at", as: String?.self)
        }
    }
}

/// A fake APNs for waves: the outcome for each token, and what it has accepted.
final class ScriptedAPNs: Sendable {
    private struct State {
        var answers: [String: PushOutcome] = [:]
        var delivered: [String: [UUID]] = [:]
        var calls: [Int] = []
    }

    private let state = Mutex(State())

    func answer(_ outcome: PushOutcome, for numbers: some Sequence<Int>) {
        state.withLock { state in
            for number in numbers { state.answers[WaveStage.token(number)] = outcome }
        }
    }

    func send(_ pushes: [SilentPush]) -> [PushOutcome] {
        state.withLock { state in
            state.calls.append(pushes.count)
            return pushes.map { push in
                let outcome = state.answers[push.token.hex] ?? .accepted
                state.delivered[push.token.hex, default: []].append(push.id)
                return outcome
            }
        }
    }

    /// How many pushes were sent for a phone, and with how many ids.
    func pushes(_ number: Int) -> (count: Int, names: Int) {
        state.withLock { state in
            let ids = state.delivered[WaveStage.token(number)] ?? []
            return (ids.count, Set(ids).count)
        }
    }

    var calls: [Int] { state.withLock { $0.calls } }
    var total: Int { state.withLock { $0.delivered.values.reduce(0) { $0 + $1.count } } }
    func forget() {
        state.withLock { state in
            state.delivered = [:]
            state.calls = []
        }
    }
}
