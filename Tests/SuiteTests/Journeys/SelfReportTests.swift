import Calling
import Credentials
import DevelopmentSuite
import DonationFormat
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import Phone
import Postgres
import Running
import TestSupport
import Testing
import VerificationAPI

/// People who warn others without a registered test: a genuine app gets a password, and uploads with it.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SelfReportTests {
    private static let noon = Day(number: 20_600).firstHour.advanced(by: 12).start

    @Test("a genuine app gets a password for one self-report, whose keys are published here and go to nobody else")
    func selfReport() async throws {
        try await InProcessSuite.run(clock: .offset(by: Self.noon.timeIntervalSinceNow)) { suite in
            try await suite.withStage { stage in
                var random = SystemRandomNumberGenerator()
                let password = OneTimePassword(using: &random)
                let keys = Phone(at: stage.clock.now).diagnosisKeys()
                // Not before it is admitted.
                await Self.expectRefusal { try await stage.apps.reportOneself(keys, password: password) }
                try await Self.admit(password, on: stage)
                // Only who reports oneself may use it.
                let asTAN = try #require(TAN(password.text))
                await Self.expectRefusal { try await stage.apps.upload(keys, tan: asTAN) }

                try await stage.apps.reportOneself(keys, password: password)
                // The answer is lost, and the app sends it again.
                try await stage.apps.reportOneself(keys, as: .srsOther, password: password)
                let others = Phone(at: stage.clock.now).diagnosisKeys()
                await Self.expectRefusal { try await stage.apps.reportOneself(others, password: password) }
                try await Self.expectUses(1, in: suite)

                try await suite.fold(asOf: stage.clock.now.addingTimeInterval(3600))
                let wanted = Set(keys.map(\.data.bytes))
                let folded = try await Self.foldedKeys(in: suite).filter { wanted.contains($0.0) }
                #expect(folded.count == wanted.count)
                #expect(folded.allSatisfy { !$0.1 })
            }
        }
    }

    @Test("without data-donation self-reports wait, and people with a TAN upload as usual")
    func withoutDonation() async throws {
        let nobody = [
            "verification-server.donation.url=https://localhost:\(TestPort.free())",
            "verification-server.donation.milliseconds=500",
        ]
        try await InProcessSuite.run(clock: .offset(by: Self.noon.timeIntervalSinceNow), changes: nobody) { suite in
            try await suite.withStage { stage in
                var random = SystemRandomNumberGenerator()
                let password = OneTimePassword(using: &random)
                try await Self.admit(password, on: stage)
                let keys = Phone(at: stage.clock.now).diagnosisKeys()
                await #expect(throws: CallError.unavailable) {
                    try await stage.apps.reportOneself(keys, password: password)
                }
                let code = try await stage.portal.call(
                    VerificationAPI.teleTAN, TeleTANRequest(officerToken: stage.officerToken, kind: .test)
                ).value
                let tan = try await stage.apps.tan(try await stage.apps.register(.teleTAN(code)))
                try await stage.apps.upload(keys, tan: tan)
                try await Self.expectUses(1, redeemed: 0, in: suite)
            }
        }
    }

    @Test("of many phones that share one password, one reports")
    func shared() async throws {
        try await InProcessSuite.run(clock: .offset(by: Self.noon.timeIntervalSinceNow)) { suite in
            try await suite.withStage { stage in
                var random = SystemRandomNumberGenerator()
                let password = OneTimePassword(using: &random)
                try await Self.admit(password, on: stage)
                let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            do {
                                let keys = Phone(at: stage.clock.now).diagnosisKeys()
                                try await stage.apps.reportOneself(keys, password: password)
                                return true
                            } catch CallError.refused(.forbidden) {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(accepted.count { $0 } == 1)
                try await Self.expectUses(1, in: suite)
            }
        }
    }

    /// Has an Android phone ask for a password, of which Google says that its app is genuine.
    private static func admit(_ password: OneTimePassword, on stage: StoryStage) async throws {
        let id = try #require(AndroidID([UInt8](1...8)))
        let wish = try PasswordRequest(password, androidID: id).encoded()
        let evidence = try await GenuineApps(stage.vouchers).android(for: wish)
        _ = try await stage.apps.requestPassword(for: .selfReport, wish, with: evidence)
    }

    private static func expectRefusal(_ upload: () async throws -> Void) async {
        await #expect(throws: CallError.refused(.forbidden)) { try await upload() }
    }

    /// How many uploads are recorded with what authorised them, all of them stored; and how many passwords are used up.
    private static func expectUses(_ number: Int64, redeemed passwords: Int64? = nil, in suite: InProcessSuite)
        async throws
    {
        let uses = try await TestPostgres.withClient(suite.database.superuserConnection) { client in
            try await client.session { session in
                try session.row(
                    """
                    SELECT (SELECT count(*) FROM verification.used_tan WHERE confirmed), (SELECT count(*) FROM verification.used_tan),
                        (SELECT count(*) FROM donation.one_time_password WHERE redeemed_by IS NOT NULL)
                    """, as: Int64.self, Int64.self, Int64.self)
            }
        }
        let (confirmed, all, redeemed) = try #require(uses)
        #expect([confirmed, all, redeemed] == [number, number, passwords ?? number])
    }

    /// The data of all folded keys, and whether they are for other countries.
    private static func foldedKeys(in suite: InProcessSuite) async throws -> [([UInt8], Bool)] {
        try await TestPostgres.withClient(suite.database.superuserConnection) { client in
            try await client.session { session in
                try session.rows(
                    "SELECT key_data, is_federated FROM submission.diagnosis_key", as: [UInt8].self, Bool.self)
            }
        }
    }
}
