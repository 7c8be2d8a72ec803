import Calling
import Credentials
import Foundation
import HTTPContract
import Running
import TestSupport
import Testing
import VerificationAPI

/// Passwords of self-reports, which data-donation redeems.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SelfReportTests {
    @Test("the first upload wins a password, also when it comes again, and no other does")
    func firstWins() async throws {
        try await VerificationStage.run { stage async throws in
            let password = stage.passwords.give()
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .granted)
            #expect(try await stage.reserve(password, .tag(2), .selfReport) == .refused)
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .granted)
            #expect(try await stage.confirm(password, .tag(2)) == .refused)
            let entries = [TANReservation(tan: password, tag: .tag(1), purpose: .selfReport)]
            #expect(try await stage.confirmed(entries) == [])
            #expect(try await stage.confirm(password, .tag(1)) == .granted)
            #expect(try await stage.confirmed(entries) == [0])
            #expect(try await stage.counts() == ["used_tan": 1])
        }
    }

    @Test("of many uploads with one password at once exactly one wins")
    func oneOfMany() async throws {
        try await VerificationStage.run { stage in
            let password = stage.passwords.give()
            let outcomes = try await withThrowingTaskGroup(of: TANOutcomes.Outcome?.self) { group in
                for number in 0..<16 {
                    group.addTask { try await stage.reserve(password, .tag(number), .selfReport) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .granted } == 1)
            #expect(outcomes.count { $0 == .refused } == 15)
        }
    }

    @Test("unknown, ended and otherwise redeemed passwords are refused alike, and nothing is stored")
    func refused() async throws {
        try await VerificationStage.run { stage in
            let (ended, elsewhere) = (stage.passwords.give(), stage.passwords.give())
            stage.passwords.expire(ended)
            #expect(try await stage.reserve(elsewhere, .tag(7), .selfReport) == .granted)
            let tan = try await stage.freshTAN()
            let rows = try await stage.rows()
            var randomness = SystemRandomNumberGenerator()
            let unknown = TAN(RandomIdentifier(using: &randomness))
            let calls = stage.passwords.calls
            let answer = try await stage.submission.call(
                VerificationAPI.reservations,
                TANReservations(
                    [unknown, ended, elsewhere, tan].map {
                        TANReservation(tan: $0, tag: .tag(1), purpose: .selfReport)
                    }))
            #expect(answer == TANOutcomes([.refused, .refused, .refused, .refused], confirmed: []))
            // Each is as much work as the others.
            #expect(stage.passwords.calls == calls + 4)
            #expect(try await stage.rows() == rows)
            #expect(try await stage.confirm(unknown, .tag(1)) == .refused)
            // The TAN is as good as before.
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
        }
    }

    @Test("a password is good for nothing else, and asking costs it nothing")
    func otherPurposes() async throws {
        try await VerificationStage.run { stage async throws in
            let password = stage.passwords.give()
            for purpose in [UploadPurpose.diagnosisKeys, .onBehalf] {
                #expect(try await stage.reserve(password, .tag(1), purpose) == .refused)
            }
            #expect(stage.passwords.calls == 0)
            #expect(try await stage.confirm(password, .tag(1)) == .refused)
            #expect(try await stage.reserve(password, .tag(2), .selfReport) == .granted)
        }
    }

    @Test("a lost answer doesn't cost the password: the upload gets it when it comes again, and another doesn't")
    func lostAnswer() async throws {
        try await VerificationStage.run { stage async throws in
            let password = stage.passwords.give()
            stage.passwords.loseAnswers(1)
            await #expect(throws: CallError.unavailable) { try await stage.reserve(password, .tag(1), .selfReport) }
            #expect(stage.passwords.redemption(of: password) != nil)
            #expect(try await stage.counts()["used_tan"] == nil)
            stage.passwords.expire(password)
            #expect(try await stage.reserve(password, .tag(2), .selfReport) == .refused)
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .granted)
            #expect(try await stage.confirm(password, .tag(1)) == .granted)
        }
    }

    @Test("while data-donation fails or can't be reached, self-reports wait, and TANs are reserved")
    func unreachable() async throws {
        try await VerificationStage.run { stage in
            let (password, tan) = (stage.passwords.give(), try await stage.freshTAN())
            // Its refusals other than of a password are faults of the suite, such as a certificate with another role.
            for problem in [Problem.unavailable, .forbidden, .badRequest] {
                stage.passwords.fail(with: problem)
                await #expect(throws: CallError.unavailable) {
                    try await stage.reserve(password, .tag(1), .selfReport)
                }
                #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            }
            stage.passwords.fail(with: nil)
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .granted)
        }
        let nobody = ["donation.url": "https://localhost:\(TestPort.free())", "donation.milliseconds": "200"]
        try await VerificationStage.run(settings: nobody) { stage in
            let tan = try await stage.freshTAN()
            await #expect(throws: CallError.unavailable) { try await stage.reserve(tan, .tag(1), .selfReport) }
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
        }
    }

    @Test("in a country without data-donation every self-report is refused like one with a wrong password")
    func notConfigured() async throws {
        try await VerificationStage.run(settings: ["donation.url": ""]) { stage async throws in
            #expect(try await stage.reserve(stage.passwords.give(), .tag(1), .selfReport) == .refused)
            #expect(stage.passwords.calls == 0)
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("neither the password nor what redeemed it is in the database, and the row goes as a TAN's does")
    func traces() async throws {
        try await VerificationStage.run { stage async throws in
            let password = stage.passwords.give()
            _ = try await stage.reserve(password, .tag(1), .selfReport)
            _ = try await stage.confirm(password, .tag(1))
            let redemption = try #require(stage.passwords.redemption(of: password))
            #expect(redemption.text != Digest.tag(1).hex)
            let secrets = [
                password.identifier.bytes.hex, password.text, redemption.text, Digest(sha256: password.text.utf8).hex,
            ]
            for row in try await stage.rows() { for secret in secrets { #expect(!row.contains(secret)) } }
            stage.clock.advance(by: 24 * 86_400)
            try await stage.applyRetention()
            #expect(try await stage.counts() == [:])
        }
    }
}
