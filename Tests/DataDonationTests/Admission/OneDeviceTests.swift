import DevelopmentAttestation
import DonationAPI
import DonationFormat
import Foundation
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

/// Requests of one device that come at once, each with evidence of its own.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct OneDeviceTests {
    private static let count = 12

    /// Holds Apple's answers until all requests have asked for the device's bits: then each has found that it hasn't reported.
    private final class Crowd: Sendable {
        private let arrived = Mutex(0)
        private let gate = Gate()

        func join() async {
            let isComplete = arrived.withLock { arrived in
                arrived += 1
                return arrived == OneDeviceTests.count
            }
            if isComplete { gate.open() }
            await gate.pass()
        }
    }

    enum Evidence: CaseIterable, Sendable {
        case monthTokens, attestedKeys
    }

    @Test(arguments: Evidence.allCases)
    func `of self-reports of one device under different keys and tokens at once one is admitted`(
        evidence: Evidence
    ) async throws {
        let crowd = Crowd()
        try await DonationStage.run(pause: { if $0 == .query { await crowd.join() } }) { stage in
            let challenge = try await stage.challenge()
            let bodies = try (0..<Self.count).map { number in
                var phone = try SimulatedIPhone("anna", stage.vouchers)
                return switch evidence {
                case .monthTokens: try phone.request(Wish.payload(number))
                case .attestedKeys:
                    try phone.attestedRequest(Wish.payload(number), challenge, isNew: true, withDeviceToken: true)
                }
            }
            let replies = try await withThrowingTaskGroup(of: DonationStage.Reply.self) { group in
                for body in bodies { group.addTask { try await stage.send(DonationAPI.reportOnIOS, body) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            // Whoever waited too long comes again.
            #expect(replies.allSatisfy { [200, 403, 429, 503].contains($0.status) })
            #expect(try await stage.rows()["passwords"] == 1)
            let again = try SimulatedIPhone("anna", stage.vouchers).request(Wish.payload(99))
            #expect(
                try await stage.send(DonationAPI.reportOnIOS, again) == .refusal(403, "API_TOKEN_ALREADY_ISSUED"))
        }
    }

    @Test func `while another replica has the turn, a self-report is asked to come again, and loses nothing`()
        async throws
    {
        try await DonationStage.run { stage in
            let body = try SimulatedIPhone("anna", stage.vouchers).request(Wish.payload(1))
            let (isTaken, done) = (Gate(), DispatchSemaphore(value: 0))
            async let other: Void = TestPostgres.withClient(stage.database.connection(as: .donation)) { client in
                try await client.session { session in
                    try session.execute("SELECT donation.take_report_turn()")
                    isTaken.open()
                    done.wait()
                }
            }
            await isTaken.pass()
            #expect(try await stage.send(DonationAPI.reportOnIOS, body) == .init(503, ""))
            #expect(stage.vouchers.deviceCheck.bits(of: "anna") == nil)
            // Others don't wait.
            let survey = try SimulatedIPhone("bert", stage.vouchers).request(Wish.payload(2))
            #expect(try await stage.send(DonationAPI.surveyOnIOS, survey).status == 200)
            done.signal()
            try await other
            #expect(try await stage.send(DonationAPI.reportOnIOS, body).status == 200)
        }
    }
}
