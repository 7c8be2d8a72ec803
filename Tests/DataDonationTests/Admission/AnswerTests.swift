import DevelopmentAttestation
import DevelopmentAttestationAPI
import DeviceCheck
import DonationAPI
import Foundation
import TestSupport
import Testing

/// Each call to Apple's DeviceCheck, by the whole service, and each answer that a party outside may give.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct AnswerTests {
    enum Call: CaseIterable, Sendable {
        case query, update

        var operation: SimulatedDeviceCheck.Operation { self == .query ? .query : .update }
    }

    /// What a phone is told at first, and the log.
    private struct Row {
        let status: Int
        /// Nil if nobody has to know.
        var cause: LoggedCause?
    }

    private static func row(_ call: Call, _ answer: OutsideAnswer) -> Row {
        let route = call.operation.rawValue
        func refusal(_ reason: String) -> Row {
            Row(
                status: 503,
                cause: LoggedCause(
                    "a peer refuses calls",
                    ["peer": "devicecheck", "route": route, "status": "401", "reason": reason]))
        }
        switch answer {
        case .refusedWithReason: return refusal("authorization")
        case .refusedWithoutReason: return refusal("none")
        case .lateButDone:
            return Row(
                status: 503,
                cause: LoggedCause("a peer doesn't answer", ["peer": "devicecheck", "route": route, "reason": "late"]))
        case .addedField, .clockAhead, .clockBehind: return Row(status: 200)
        }
    }

    private static func kind(_ answer: OutsideAnswer) -> DeviceCheckBehaviour.Kind {
        switch answer {
        case .refusedWithReason: .refuses
        case .refusedWithoutReason: .refusesSilently
        case .addedField: .addsFields
        case .lateButDone, .clockAhead, .clockBehind: .well
        }
    }

    @Test(arguments: Call.allCases, OutsideAnswer.allCases)
    func `each answer of Apple's ends as the README says, and the log names its cause`(
        _ call: Call, _ answer: OutsideAnswer
    ) async throws {
        let (log, gate) = (CapturedLog(), Gate())
        defer { gate.open() }
        let row = Self.row(call, answer)
        try await DonationStage.run(
            // Long enough for a busy machine to connect.
            settings: answer == .lateButDone ? ["deviceCheck.milliseconds": "4000"] : [:],
            clockError: -answer.secondsAhead, logger: log.logger(),
            pause: { if answer == .lateButDone, $0 == call.operation { await gate.pass() } }
        ) { stage in
            let endpoints = [DonationAPI.surveyOnIOS, DonationAPI.reportOnIOS]
            let phones = try ["anna", "bert"].map { try SimulatedIPhone($0, stage.vouchers) }
            if call == .query {
                // A device with bits, so that the answer is JSON.
                let bits = DeviceBits(first: false, second: false, changed: try #require(DeviceBits.Month("2026-01")))
                for phone in phones { #expect(stage.vouchers.deviceCheck.set(bits, of: phone.name)) }
            }
            let tokens = try phones.map { try $0.deviceToken() }
            let bodies = try phones.enumerated().map { try $1.request(Wish.payload($0), deviceToken: tokens[$0]) }
            stage.vouchers.routes.behave(Self.kind(answer), only: call.operation)
            for (endpoint, body) in zip(endpoints, bodies) {
                #expect(try await stage.send(endpoint, body).status == row.status)
            }
            if let cause = row.cause {
                #expect(log.has(cause))
            } else {
                #expect(!log.lines.contains { $0.contains(#""message":"a peer"#) })
            }
            #expect(!log.lines.contains { line in tokens.contains { line.contains($0) } })
            if answer == .lateButDone, call == .update {
                #expect(stage.vouchers.deviceCheck.bits(of: "anna") != nil)
                #expect(stage.vouchers.deviceCheck.bits(of: "bert")?.first == true)
            }
            guard !answer.isRight else { return }
            // Whoever was asked to come again has lost nothing, and nobody is admitted twice.
            gate.open()
            stage.vouchers.routes.behave(.well)
            for (endpoint, body) in zip(endpoints, bodies) {
                #expect(try await stage.send(endpoint, body).status == 200)
            }
            for (number, (endpoint, phone)) in zip(endpoints, phones).enumerated() {
                let again = try await stage.send(endpoint, phone.request(Wish.payload(number + 10)))
                #expect(again == .refusal(429, "API_TOKEN_QUOTA_EXCEEDED"))
            }
            #expect(try await stage.rows() == ["evidence": 2, "passwords": 2, "shares": 2])
        }
    }
}
