import Calling
import Credentials
import DonationAPI
import Foundation
import HTTPContract
import HTTPTypes
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
            let answer = try await stage.submission.call(
                VerificationAPI.reservations,
                TANReservations(
                    [unknown, ended, elsewhere, tan].map {
                        TANReservation(tan: $0, tag: .tag(1), purpose: .selfReport)
                    }))
            #expect(answer == TANOutcomes([.refused, .refused, .refused, .refused], confirmed: []))
            #expect(stage.passwords.calls.last?.redemptions.count == 4)
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
            #expect(stage.passwords.redemption(of: password) == nil)
            #expect(try await stage.confirm(password, .tag(1)) == .refused)
            #expect(try await stage.reserve(password, .tag(2), .selfReport) == .granted)
        }
    }

    @Test("a lost answer doesn't cost the password: the upload gets it when it comes again, and another doesn't")
    func lostAnswer() async throws {
        try await VerificationStage.run { stage async throws in
            let password = stage.passwords.give()
            stage.passwords.loseAnswers(1)
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .unanswered)
            #expect(stage.passwords.redemption(of: password) != nil)
            #expect(try await stage.counts()["used_tan"] == nil)
            stage.passwords.expire(password)
            #expect(try await stage.reserve(password, .tag(2), .selfReport) == .refused)
            #expect(try await stage.reserve(password, .tag(1), .selfReport) == .granted)
            #expect(try await stage.confirm(password, .tag(1)) == .granted)
        }
    }

    @Test("data-donation is asked once for each batch, with as many entries, and learns nothing of TANs")
    func askedAlike() async throws {
        try await VerificationStage.run { stage in
            let (password, tan) = (stage.passwords.give(), try await stage.freshTAN())
            var randomness = SystemRandomNumberGenerator()
            let unknown = TAN(RandomIdentifier(using: &randomness))
            func entry(_ tan: TAN, _ purpose: UploadPurpose) -> TANReservation {
                TANReservation(tan: tan, tag: .tag(1), purpose: purpose)
            }
            let (report, test) = (entry(password, .selfReport), entry(tan, .diagnosisKeys))
            let (wrong, forged) = (entry(unknown, .onBehalf), entry(unknown, .selfReport))
            let batches: [([TANReservation], [TANOutcomes.Outcome])] = [
                ([wrong], [.refused]), ([forged], [.refused]), ([test, report], [.granted, .granted]),
                ([test], [.granted]),
                ([report], [.granted]), ([wrong, report, test, forged], [.refused, .granted, .granted, .refused]),
            ]
            for (batch, outcomes) in batches { #expect(try await stage.reserve(batch) == outcomes) }
            let calls = stage.passwords.calls
            #expect(calls.map(\.redemptions.count) == batches.map(\.0.count))
            let sizes = try calls.map { try $0.encodedBody().count / $0.redemptions.count }
            #expect(sizes.allSatisfy { abs($0 - sizes[0]) < 16 })
            // Only self-reports' are there as they came, and nothing else comes twice.
            let sent = calls.flatMap(\.redemptions).map(\.otp)
            #expect(sent.count { $0 == password.text } == 3)
            #expect(sent.count { $0 == unknown.text } == 2)
            #expect(!sent.contains(tan.text))
            #expect(Set(sent).count == sent.count - 3)
            #expect(Set(calls.flatMap(\.redemptions).map(\.idempotencyKey)).count == sent.count - 3)
            for tan in [tan, password] { #expect(try await stage.confirm(tan, .tag(1)) == .granted) }
            #expect(stage.passwords.calls.count == batches.count)
        }
    }

    @Test("while data-donation fails or can't be reached, self-reports wait, and TANs of the same batch are reserved")
    func unreachable() async throws {
        try await VerificationStage.run { stage in
            let (password, tan) = (stage.passwords.give(), try await stage.freshTAN())
            let both = [
                TANReservation(tan: password, tag: .tag(1), purpose: .selfReport),
                TANReservation(tan: tan, tag: .tag(1), purpose: .diagnosisKeys),
            ]
            for problem in [Problem.unavailable, .forbidden, .badRequest, Problem(.notFound)] {
                stage.passwords.fail(with: problem)
                #expect(try await stage.reserve(both) == [.unanswered, .granted])
            }
            stage.passwords.fail(with: nil)
            stage.passwords.answerShortly(true)
            #expect(try await stage.reserve(both) == [.unanswered, .granted])
            stage.passwords.answerShortly(false)
            #expect(try await stage.reserve(both) == [.granted, .granted])
            // What is known of an upload with a TAN doesn't depend on passwords.
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            stage.passwords.fail(with: .unavailable)
            #expect(try await stage.confirmed(both) == [1])
        }
    }

    @Test("a TAN is reserved while data-donation hangs, refuses connections or has no address")
    func gone() async throws {
        let silent = try SilentPort()
        let addresses = [
            "https://localhost:\(silent.number)", "https://localhost:\(TestPort.free())",
            "https://data-donation.invalid:8111",
        ]
        for address in addresses {
            let settings = ["donation.url": address, "donation.milliseconds": "200"]
            try await VerificationStage.run(settings: settings) { stage in
                let tan = try await stage.freshTAN()
                #expect(try await stage.reserve(tan, .tag(1), .selfReport) == .unanswered)
                #expect(try await stage.reserve(tan, .tag(1)) == .granted)
                #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            }
        }
    }

    @Test("in a country without data-donation every self-report is refused like one with a wrong password")
    func notConfigured() async throws {
        try await VerificationStage.run(settings: ["donation.url": ""]) { stage async throws in
            #expect(try await stage.reserve(stage.passwords.give(), .tag(1), .selfReport) == .refused)
            #expect(try await stage.reserve(try await stage.freshTAN(), .tag(1)) == .granted)
            #expect(stage.passwords.calls.isEmpty)
            #expect(try await stage.counts()["used_tan"] == 1)
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
