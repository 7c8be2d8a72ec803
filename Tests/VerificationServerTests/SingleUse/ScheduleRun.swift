import Calling
import Credentials
import Foundation
import HTTPTypes
import Running
import Synchronization
import TestSupport
import VerificationAPI

/// The callers of a schedule on a stage: what they know, and the history of their calls.
struct ScheduleRun: Sendable {
    let history: History
    /// When the teleTANs among the proofs expire.
    let expiries: [String: Date]
    private let stage: VerificationStage
    private let proofs: [Proof]
    private let known = Knowledge()

    private struct Proof: Sendable {
        let name: String
        let value: RegistrationTokenRequest.Proof
        let purpose: UploadPurpose
    }

    private struct KnownTAN: Hashable {
        let tan: TAN
        let purpose: UploadPurpose
    }

    private final class Knowledge: Sendable {
        /// By caller, in the order in which they came.
        let tokens = Mutex<[Int: [(token: RegistrationToken, purpose: UploadPurpose)]]>([:])
        let tans = Mutex<[KnownTAN]>([])
        /// Each caller has one key for a proof, and keeps it.
        let keys = Mutex<[String: IdempotencyKey]>([:])
        let calls = Mutex(0)
    }

    /// Creates the proofs: positive tests, and teleTANs of both kinds.
    init(on stage: VerificationStage) async throws {
        var proofs = (0..<Schedule.proofs - 3).map {
            Proof(name: "guid-\($0)", value: .guid(.numbered($0)), purpose: .diagnosisKeys)
        }
        for number in proofs.indices { stage.results.set(.pcrPositive, for: .numbered(number)) }
        var expiries: [String: Date] = [:]
        for (number, kind) in [TeleTANKind.test, .test, .event].enumerated() {
            let name = "teletan-\(number)"
            expiries[name] = stage.clock.now.addingTimeInterval(kind == .test ? 3600 : 2 * 86_400)
            proofs.append(
                Proof(
                    name: name, value: .teleTAN(try await stage.teleTAN(kind)),
                    purpose: kind == .test ? .diagnosisKeys : .onBehalf))
        }
        self.stage = stage
        self.proofs = proofs
        self.expiries = expiries
        history = History(clock: stage.clock.clock)
    }

    /// Runs a schedule, all callers at once.
    func play(_ schedule: Schedule) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (caller, moves) in schedule.moves.enumerated() {
                group.addTask {
                    for move in moves {
                        try await take(move.step, caller, move.fate)
                        switch move.fate {
                        case .seen: break
                        case .lost, .abandoned: try await take(move.step, caller, .seen)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// What all TANs of one upload have in common.
    func upload(_ tan: String) -> String {
        guard let known = TAN(tan), let claims = try? stage.tanCipher.open(known, days: Self.days) else { return tan }
        return claims.nonceBytes.hex
    }

    /// Those that a schedule can reach.
    private static let days = Int32(VerificationStage.start.timeIntervalSince1970 / 86_400)...20_700

    // MARK: Steps

    private func take(_ step: Schedule.Step, _ caller: Int, _ fate: Schedule.Fate) async throws {
        switch step {
        case .register(let number, let isKeyed): try await register(number, isKeyed, caller, fate)
        case .takeTAN(let number): try await takeTAN(number, caller, fate)
        case .reserve(let choices):
            let entries = chosen(choices)
            guard !entries.isEmpty else { return }
            _ = try await history.record(entries.map { .reserve(tan: $0.known.tan.text, tag: $0.tag.hex) }) {
                try await outcomes(entries.count, fate, .badRequest) {
                    try await stage.reserve(
                        entries.map { TANReservation(tan: $0.known.tan, tag: $0.tag, purpose: $0.known.purpose) }
                    ).map(Self.outcome)
                }
            }
        case .confirm(let choices):
            let entries = chosen(choices)
            guard !entries.isEmpty else { return }
            _ = try await history.record(entries.map { .confirm(tan: $0.known.tan.text, tag: $0.tag.hex) }) {
                try await outcomes(entries.count, fate, .badRequest) {
                    try await stage.confirm(entries.map { TANConfirmation(tan: $0.known.tan, tag: $0.tag) })
                        .map(Self.outcome)
                }
            }
        case .redeem(let choice, let isKeyed): try await redeem(choice, isKeyed, caller, fate)
        case .advance(let seconds):
            stage.clock.advance(by: seconds)
            try await stage.applyRetention()
        }
    }

    private func register(_ number: Int, _ isKeyed: Bool, _ caller: Int, _ fate: Schedule.Fate) async throws {
        let proof = proofs[number]
        let (key, name) = key(isKeyed, caller, proof.name)
        let outcome = try await history.record(.register(proof: proof.name, key: name)) {
            try await outcomes(1, fate, .badRequest) {
                [.ok(try await stage.register(proof.value, key).text)]
            }.first ?? .unknown
        }
        guard case .ok(let text) = outcome, let token = RegistrationToken(text) else { return }
        known.tokens.withLock { $0[caller, default: []].append((token, proof.purpose)) }
    }

    private func takeTAN(_ number: Int, _ caller: Int, _ fate: Schedule.Fate) async throws {
        let own = known.tokens.withLock { $0[caller] ?? [] }
        guard !own.isEmpty else { return }
        let (token, purpose) = own[number % own.count]
        let outcome = try await history.record(.takeTAN(token: token.text)) {
            try await outcomes(1, fate, .badRequest) { [.ok(try await stage.tan(token).text)] }.first ?? .unknown
        }
        guard case .ok(let text) = outcome, let tan = TAN(text) else { return }
        let entry = KnownTAN(tan: tan, purpose: purpose)
        known.tans.withLock { if !$0.contains(entry) { $0.append(entry) } }
    }

    private func redeem(
        _ choice: Schedule.Choice, _ isKeyed: Bool, _ caller: Int, _ fate: Schedule.Fate
    ) async throws {
        guard let entry = chosen([choice]).first else { return }
        let tan = entry.known.tan
        let (key, name) = key(isKeyed, caller, tan.text)
        _ = try await history.record(.redeem(tan: tan.text, tag: name)) {
            try await outcomes(1, fate, .notFound) {
                _ = try await stage.submission.call(
                    VerificationAPI.tanVerification, TANVerification(tan, idempotencyKey: key))
                return [.ok()]
            }.first ?? .unknown
        }
    }

    // MARK: Helpers

    /// The key that a caller sends, and the one under which the history records the call.
    private func key(_ isKeyed: Bool, _ caller: Int, _ what: String) -> (IdempotencyKey?, String) {
        guard isKeyed else {
            let number = known.calls.withLock { calls in
                calls += 1
                return calls
            }
            return (nil, "call \(number) without key")
        }
        let name = "key of \(caller)"
        let key = known.keys.withLock { keys in
            let key = keys[name + what] ?? .fresh
            keys[name + what] = key
            return key
        }
        return (key, name)
    }

    /// Different TANs: of two entries for one TAN in one call the second has no effect.
    private func chosen(_ choices: [Schedule.Choice]) -> [(known: KnownTAN, tag: Digest)] {
        let tans = known.tans.withLock { $0 }
        guard !tans.isEmpty else { return [] }
        var seen: Set<TAN> = []
        return choices.map { (tans[$0.tan % tans.count], Digest.tag($0.tag)) }.filter { seen.insert($0.0.tan).inserted }
    }

    private static func outcome(_ outcome: TANOutcomes.Outcome) -> History.Outcome {
        switch outcome {
        case .granted: .ok()
        case .refused, .unanswered: .fail
        }
    }

    /// What a caller knows after a call with a fate. Only a caller that hung up may be without an answer.
    private func outcomes(
        _ count: Int, _ fate: Schedule.Fate, _ refusal: HTTPResponse.Status,
        _ call: @escaping @Sendable () async throws -> [History.Outcome]
    ) async throws -> [History.Outcome] {
        let unknown = [History.Outcome](repeating: .unknown, count: count)
        func answered() async throws -> [History.Outcome] {
            do {
                return try await call()
            } catch CallError.refused(refusal) {
                return [History.Outcome](repeating: .fail, count: count)
            }
        }
        switch fate {
        case .seen: return try await answered()
        case .lost:
            _ = try await answered()
            return unknown
        case .abandoned(let turns):
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await call() }
                for _ in 0..<turns { await Task.yield() }
                group.cancelAll()
            }
            return unknown
        }
    }
}
