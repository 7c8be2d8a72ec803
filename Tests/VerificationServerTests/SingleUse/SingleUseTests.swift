import Credentials
import Foundation
import Postgres
import TestSupport
import Testing
import VerificationAPI

/// The essential promises in many random interleavings, with lost answers and passing time: a GUID or teleTAN opens one
/// registration, a TAN authorises one upload, and a lost answer costs nobody either.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(4)))
struct SingleUseTests {
    @Test(
        "nothing is granted twice, and nothing is refused without reason, whatever happens concurrently",
        arguments: 1...8,
        [1, 2])
    func interleavings(seed: UInt64, tansPerRegistration: Int) async throws {
        try await VerificationStage.run(settings: ["tan.perRegistration": "\(tansPerRegistration)"]) { stage in
            let run = try await ScheduleRun(on: stage)
            try await run.play(Schedule(seed: seed << 8 | UInt64(tansPerRegistration)))
            let calls = run.history.calls
            let violations = HistoryChecker(
                calls, tansPerRegistration: tansPerRegistration, expiries: run.expiries,
                upload: run.upload
            ).violations
            #expect(violations == [], "seed \(seed)")
            // The schedule was no idle one.
            let done = Set(calls.filter { if case .ok = $0.outcome { true } else { false } }.map(\.action.kind))
            #expect(done.isSuperset(of: ["register", "takeTAN", "reserve", "confirm"]), "seed \(seed)")
            #expect(calls.contains { $0.outcome == .fail } && calls.contains { $0.outcome == .unknown })
        }
    }

    /// What a database may lose, and what is then granted twice.
    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: Script
        let isFound: @Sendable (HistoryChecker.Violation) -> Bool
    }

    private static let losses = [
        Loss(
            testDescription: "registered GUIDs and redeemed teleTANs",
            script: """
                DELETE FROM verification.registered_guid;
                DELETE FROM verification.session;
                DELETE FROM verification.used_tan;
                UPDATE verification.tele_tan SET redeemed = false;
                """
        ) { if case .twoRegistrations = $0 { true } else { false } },
        Loss(
            testDescription: "the uploads that TANs are used for",
            script: "DELETE FROM verification.used_tan"
        ) { if case .twoUploads = $0 { true } else { false } },
    ]

    @Test("a database that loses rows is detected", arguments: losses)
    func forgetfulDatabase(loss: Loss) async throws {
        try await VerificationStage.run(settings: ["tan.perRegistration": "1"]) { stage in
            let run = try await ScheduleRun(on: stage)
            // Time would excuse what follows.
            try await run.play(Schedule(seed: 1).withoutTime)
            try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { try $0.script(loss.script) }
            }
            try await run.play(Schedule(seed: 2).withoutTime)
            let violations = HistoryChecker(run.history.calls, expiries: run.expiries, upload: run.upload)
                .violations
            #expect(violations.contains(where: loss.isFound))
        }
    }
}

extension History.Action {
    /// What was asked for, without whom it concerns.
    fileprivate var kind: String {
        switch self {
        case .register: "register"
        case .takeTAN: "takeTAN"
        case .reserve: "reserve"
        case .confirm: "confirm"
        case .redeem: "redeem"
        case .postResult: "postResult"
        case .readResult: "readResult"
        }
    }
}
