import DevelopmentGateway
import DevelopmentGatewayAPI
import ExposureKeys
import Foundation
import Running
import TestSupport
import Testing

@testable import Federation

/// Each call to a gateway, by the job that makes it, and each answer that a party outside may give.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct AnswerTests {
    enum Call: CaseIterable, Sendable {
        case upload, download, audit, callbacks, subscription

        var operation: GatewayBehaviour.Operation {
            switch self {
            case .upload: .upload
            case .download: .download
            case .audit: .audit
            case .callbacks: .callbacks
            case .subscription: .subscription
            }
        }
    }

    /// What an operator is told at first: what `federation status` shows, and the log.
    private struct Row {
        var reason: String?
        var said: String?
        let cause: LoggedCause
    }

    private static let said = "Client certificate is revoked"

    private static func row(_ call: Call, _ answer: OutsideAnswer) -> Row {
        switch answer {
        case .refusedWithReason: refusal(of: call, said)
        case .refusedWithoutReason: refusal(of: call, nil)
        case .lateButDone:
            Row(
                reason: call == .upload ? "no_answer" : "unavailable",
                cause: LoggedCause(
                    "the gateway doesn't answer",
                    ["operation": call == .subscription ? "callbacks" : "\(call)", "reason": "late"]))
        case .addedField, .clockAhead, .clockBehind: Row(cause: LoggedCause("job done"))
        }
    }

    private static func refusal(of call: Call, _ said: String?) -> Row {
        let sentence = "The gateway refused with status_403" + (said.map { " (\($0))." } ?? ".")
        let cause =
            switch call {
            case .upload:
                LoggedCause(
                    "batch isn't delivered; trying again", ["reason": "status_403", "answer": said ?? "none"])
            case .download: LoggedCause("job failed; retrying", ["job": "federation-download", "reason": sentence])
            case .audit:
                LoggedCause(
                    "batch can't be read yet; trying again", ["reason": "status_403", "answer": said ?? "none"])
            case .callbacks, .subscription:
                LoggedCause("the gateway refuses the callback; looking again in an hour", ["reason": sentence])
            }
        return Row(reason: "status_403", said: said, cause: cause)
    }

    private static func fault(_ answer: OutsideAnswer) -> GatewayBehaviour.Fault? {
        switch answer {
        case .refusedWithReason: .refused
        case .refusedWithoutReason: .refusedSilently
        // Its bytes begin when the request has been carried out, and go on for longer than anybody waits.
        case .lateButDone: .slow
        case .addedField: .addedFields
        case .clockAhead, .clockBehind: nil
        }
    }

    @Test(arguments: Call.allCases, OutsideAnswer.allCases)
    func `each answer of the gateway ends as the README says, and the log names its cause`(
        _ call: Call, _ answer: OutsideAnswer
    ) async throws {
        let log = CapturedLog()
        let settings = [
            // Long enough for a busy machine to connect.
            "gateway.deadline": answer == .lateButDone ? "6" : "60", "upload.slotHours": "1",
            "callback.url": "https://127.0.0.1/version/v1/callback",
        ]
        try await GatewayStage.run(settings: settings, gatewayAhead: answer.secondsAhead, logger: log.logger()) {
            stage in
            if let fault = Self.fault(answer) {
                try stage.gateway.misbehave(GatewayBehaviour(fault, call.operation, times: 1))
            }
            let row = Self.row(call, answer)
            switch call {
            case .upload: try await upload(stage, answer, row, log)
            case .download, .audit: try await download(stage, answer, row, log)
            case .callbacks, .subscription: try await subscribe(stage, call, answer, row, log)
            }
            #expect(log.has(row.cause))
            if answer.isRight { #expect(log.complaints.isEmpty) }
        }
    }

    /// What `federation status` shows of what waits, or failed.
    private func expect(_ row: Row, _ stage: GatewayStage) async throws {
        let status = try await stage.database.status.status()
        let shown = status.delayed.map { [$0.reason, $0.answer] } + status.failing.map { [$0.reason, $0.answer] }
        #expect(shown == (row.reason.map { [[$0, row.said]] } ?? []))
        #expect(status.troubled.isEmpty)
    }

    private func upload(_ stage: GatewayStage, _ answer: OutsideAnswer, _ row: Row, _ log: CapturedLog) async throws {
        let keys = try await stage.publish(200)
        stage.clock.advance(by: UploadPlan.delay)
        await stage.exchange.uploads()?.runOnce(log)
        try await expect(row, stage)
        // What is late is there, though nobody knows yet.
        #expect(try stage.arrived().map(Set.init) == (answer.isRight || answer == .lateButDone ? [keys] : []))
        #expect(try await stage.database.status.status().keysSent == (answer.isRight ? 200 : 0))
        stage.clock.advance(by: 240)
        await stage.exchange.uploads()?.runOnce(log)
        #expect(try stage.arrived().map(Set.init) == [keys])
        #expect(try await stage.database.status.status().keysSent == 200)
        try await expect(Row(cause: row.cause), stage)
    }

    private func download(_ stage: GatewayStage, _ answer: OutsideAnswer, _ row: Row, _ log: CapturedLog) async throws {
        // By clocks that differ it is another day.
        let midnight = Day(containing: stage.clock.now).advanced(by: 1).firstHour.start
        if answer.secondsAhead != 0 { stage.clock.set(midnight.addingTimeInterval(-answer.secondsAhead / 2)) }
        let keys = try await stage.upload("FR", 20)
        await stage.exchange.downloads()?.runOnce(log)
        try await expect(row, stage)
        #expect(try await stage.imported() == (answer.isRight ? keys : []))
        stage.clock.advance(by: 600)
        await stage.exchange.downloads()?.runOnce(log)
        #expect(try await stage.database.imported().map(\.data).count == 20)
        #expect(try await stage.imported() == keys)
        try await expect(Row(cause: row.cause), stage)
    }

    private func subscribe(
        _ stage: GatewayStage, _ call: Call, _ answer: OutsideAnswer, _ row: Row, _ log: CapturedLog
    ) async throws {
        let job = try #require(try stage.exchange.registration(stage.runtime.configuration))
        await job.runOnce(log)
        try await expect(row, stage)
        let isThere = answer.isRight || (call == .subscription && answer == .lateButDone)
        #expect(try await stage.exchange.client.subscriptions().count == (isThere ? 1 : 0))
        stage.clock.advance(by: 3600)
        await job.runOnce(log)
        let subscriptions = try await stage.exchange.client.subscriptions()
        #expect(subscriptions.map(\.url) == ["https://127.0.0.1/version/v1/callback"])
        try await expect(Row(cause: row.cause), stage)
    }
}
