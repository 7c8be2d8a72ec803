import Credentials
import DevelopmentAPNs
import Foundation
import TestSupport
import Testing

@testable import PushDispatcher

/// The call to APNs, by a wave, and each answer that a party outside may give.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct AnswerTests {
    /// What APNs is asked.
    enum Call: CaseIterable, Sendable {
        case push
    }

    /// How a wave to one phone that is there, and one that is gone, ends.
    private struct Row {
        let outcome: WaveOutcome
        /// How often APNs accepted a push to the phone.
        let accepted: Int
        /// Nil if nobody has to know.
        var cause: LoggedCause?
    }

    private static func row(_ call: Call, _ answer: OutsideAnswer) -> Row {
        switch answer {
        case .refusedWithReason:
            Row(
                outcome: .refused, accepted: 0,
                cause: LoggedCause(
                    "a peer refuses calls", ["peer": "apns", "reason": "InvalidProviderToken", "status": "403"]))
        case .refusedWithoutReason:
            Row(
                outcome: .refused, accepted: 0,
                cause: LoggedCause("a peer refuses calls", ["peer": "apns", "reason": "Unknown", "status": "403"]))
        case .lateButDone:
            // Both pushes have one name, and wake the phone once.
            Row(
                outcome: .finished, accepted: 2,
                cause: LoggedCause("a peer doesn't answer", ["peer": "apns", "reason": "silence"]))
        case .addedField, .clockAhead, .clockBehind: Row(outcome: .finished, accepted: 1)
        }
    }

    @Test(arguments: Call.allCases, OutsideAnswer.allCases)
    func `each answer of APNs ends as the README says, and the log names its cause`(
        _ call: Call, _ answer: OutsideAnswer
    ) async throws {
        let log = CapturedLog()
        let row = Self.row(call, answer)
        try await WaveStage.run { stage in
            stage.clock.set(APNsStage.start)
            try await stage.register(0..<2)
            try await APNsStage.run(
                rules: {
                    $0.updates = .perConnection
                    $0.addsFields = answer == .addedField
                },
                // Long enough for a busy machine to answer in time when it does.
                timing: { if answer == .lateButDone { $0.reply = .seconds(6) } },
                serviceAhead: answer.secondsAhead, logger: log.logger()
            ) { apns in
                let (phone, gone) = (WaveStage.token(0), WaveStage.token(1))
                let ahead = APNsStage.start.addingTimeInterval(answer.secondsAhead)
                switch answer {
                case .refusedWithReason:
                    apns.service.answer(phone, next: .reply(status: 403, reason: "InvalidProviderToken"))
                case .refusedWithoutReason: apns.service.answer(phone, next: .reply(status: 403))
                case .lateButDone: apns.service.answer(phone, next: .late)
                case .addedField, .clockAhead, .clockBehind:
                    apns.service.answer(gone, next: .reply(status: 410, reason: "Unregistered", timestamp: ahead))
                }
                let client = apns.client
                let engine = stage.engine(logger: log.logger()) { await client.send($0, expiration: $1) }
                let report = try #require(try await engine.runDue())
                #expect(report.outcome == row.outcome)
                #expect(apns.service.accepted(token: phone) == row.accepted)
                let name = stage.vault.pushID(
                    wave: report.wave.id.bytes, instance: stage.vault.hash(instance: Secret("phone 0")))
                #expect(apns.service.accepted(id: name) == row.accepted)
                if let cause = row.cause { #expect(log.has(cause)) } else { #expect(log.complaints.isEmpty) }
                if row.outcome == .refused {
                    #expect(log.has(LoggedCause("APNs refuses pushes: the wave stops")))
                }
                // A refusal of ours takes nobody's registration, and the next wave wakes everybody.
                #expect(try await stage.registered(below: 2) == (answer.isRight ? [0] : [0, 1]))
                stage.clock.advance(by: 7200)
                #expect(try await engine.runDue()?.outcome == .finished)
                #expect(apns.service.accepted(token: phone) == row.accepted + 1)
            }
        }
    }
}
