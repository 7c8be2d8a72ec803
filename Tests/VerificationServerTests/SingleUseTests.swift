import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VerificationAPI

/// The promise that everything hangs on, tried in many random interleavings: a TAN authorises one upload.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(2)))
struct SingleUseTests {
    /// What callers were told.
    private struct Told {
        /// The tags that were granted, by TAN.
        var reserved: [TAN: Set<Digest>] = [:]
        var confirmed: [TAN: Set<Digest>] = [:]
        var issued: [RegistrationToken: Set<TAN>] = [:]
    }

    private final class Ledger: Sendable {
        let told = Mutex(Told())
    }

    private enum Step: Sendable {
        case reserve([TANReservation])
        case confirm([TANConfirmation])
        case issue(RegistrationToken)
        case wait(Double)
    }

    @Test("no TAN is ever granted to two uploads, whatever happens at once", arguments: 1...4)
    func property(seed: UInt64) async throws {
        try await VerificationStage.run { stage in
            var tokens: [RegistrationToken] = []
            var tans: [TAN] = []
            for number in 0..<8 {
                let token = try await stage.registered(.numbered(number))
                tokens.append(token)
                tans.append(try await stage.tan(token))
            }
            let ledger = Ledger()
            let callers = Self.plan(seed: seed, callers: 8, steps: 40, tokens: tokens, tans: tans)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for steps in callers {
                    group.addTask {
                        for step in steps { try await Self.take(step, on: stage, ledger) }
                    }
                }
                try await group.waitForAll()
            }
            let result = ledger.told.withLock { $0 }
            for (tan, tags) in result.reserved {
                #expect(tags.count <= 1)
                #expect((result.confirmed[tan] ?? []).isSubset(of: tags))
            }
            for (token, issued) in result.issued {
                let own = tokens.firstIndex(of: token).map { tans[$0] }
                #expect(issued.allSatisfy { $0 == own })
            }
            // The plan was no idle one.
            #expect(result.reserved.count > 4)
            #expect(!result.confirmed.isEmpty)
            #expect(!result.issued.isEmpty)
        }
    }

    private static func plan(
        seed: UInt64, callers: Int, steps: Int, tokens: [RegistrationToken], tans: [TAN]
    ) -> [[Step]] {
        var randomness = SeededGenerator(seed: seed)
        return (0..<callers).map { _ in
            (0..<steps).map { _ in
                let chosen = (0..<Int.random(in: 1...4, using: &randomness)).map { _ in
                    (
                        tan: tans[.random(in: tans.indices, using: &randomness)],
                        tag: Digest.tag(.random(in: 0..<3, using: &randomness))
                    )
                }
                switch Int.random(in: 0..<20, using: &randomness) {
                case 0..<9:
                    return .reserve(
                        chosen.map { TANReservation(tan: $0.tan, tag: $0.tag, purpose: .diagnosisKeys) })
                case 9..<14:
                    return .confirm(chosen.map { TANConfirmation(tan: $0.tan, tag: $0.tag) })
                case 14..<19:
                    return .issue(tokens[.random(in: tokens.indices, using: &randomness)])
                default:
                    return .wait(.random(in: 0...120, using: &randomness))
                }
            }
        }
    }

    private static func take(_ step: Step, on stage: VerificationStage, _ ledger: Ledger) async throws {
        switch step {
        case .reserve(let entries):
            let outcomes = try await stage.reserve(entries)
            ledger.told.withLock { told in
                for (entry, outcome) in zip(entries, outcomes) where outcome == .granted {
                    told.reserved[entry.tan, default: []].insert(entry.tag)
                }
            }
        case .confirm(let entries):
            let outcomes = try await stage.confirm(entries)
            ledger.told.withLock { told in
                for (entry, outcome) in zip(entries, outcomes) where outcome == .granted {
                    told.confirmed[entry.tan, default: []].insert(entry.tag)
                }
            }
        case .issue(let token):
            do {
                let tan = try await stage.tan(token)
                ledger.told.withLock { _ = $0.issued[token, default: []].insert(tan) }
            } catch CallError.refused(.badRequest) {
                // Spent.
            }
        case .wait(let seconds):
            stage.clock.advance(by: seconds)
            try await stage.applyRetention()
        }
    }
}

/// The same sequence for the same seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
