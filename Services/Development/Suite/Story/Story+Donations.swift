import Calling
import Credentials
import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import HTTPTypes
import Phone

/// What genuine apps do beside warnings: surveys and donations of data.
extension Story {
    /// An Android phone answers a survey; iPhones donate data, and one of them answers a survey, too.
    func donate() async throws {
        async let survey = beside { try await $0.answerSurvey() }
        async let donation = beside { try await $0.donateByDeviceCheck() }
        async let proof = beside { try await $0.proveByAppAttest() }
        try await stage.apps.pretendToRequestPassword(for: .survey, on: .android)
        tell(try await survey)
        tell(try await donation)
        tell(try await proof)
        say("Phone C asked for nothing, in a request of the same length as those for passwords (200).")
    }

    /// By Play Integrity.
    private func answerSurvey() async throws {
        var random = SystemRandomNumberGenerator()
        let password = OneTimePassword(using: &random)
        let wish = try PasswordRequest(password).encoded()
        let evidence = try await genuine.android(for: wish)
        let end = try await stage.apps.requestPassword(for: .survey, wish, with: evidence)
        say(
            "Phone S, of which Google says that its app is genuine, got a password for a survey (200), good until \(end)."
        )
        let other = try PasswordRequest(OneTimePassword(using: &random)).encoded()
        try await expect(.forbidden, "the same evidence for another password is refused") {
            _ = try await stage.apps.requestPassword(for: .survey, other, with: evidence)
        }
        try await redeem(password)
        try await expect(.badRequest, "the survey's server can't redeem it a second time") {
            _ = try await stage.surveys.call(DonationAPI.surveyRedemption, RedemptionRequest(password.text))
        }
        say("Its owner took part: the survey's server redeemed the password (200).")
    }

    private func donateByDeviceCheck() async throws {
        let data = try Self.analyticsData()
        // The token that its app chose for the month, which here names the phone, too.
        let month = UUID().uuidString
        func evidence() async throws -> AppEvidence {
            .iOS(IOSEvidence(deviceToken: try await genuine.deviceToken(of: month), apiToken: month))
        }
        try await stage.apps.donate(data, with: evidence())
        say(
            "Phone I, an iPhone that Apple knows, donated what it was warned of (200), sealed until the hour is folded."
        )
        try await expect(.tooManyRequests, "a second donation on the same day is refused") {
            try await stage.apps.donate(data + [0x0a, 0], with: evidence())
        }
    }

    private func proveByAppAttest() async throws {
        var attestation = AppAttestation()
        let data = try Self.analyticsData()
        try await stage.apps.prove(data, by: &attestation, of: genuine) { evidence in
            try await stage.apps.donate(data, with: evidence)
        }
        say("Phone J, an iPhone with a newer app, made a key, had it attested by Apple, and donated by it (200).")
        var random = SystemRandomNumberGenerator()
        let password = OneTimePassword(using: &random)
        let wish = try PasswordRequest(password).encoded()
        let shown = try await stage.apps.prove(wish, by: &attestation, of: genuine) { evidence in
            _ = try await stage.apps.requestPassword(for: .survey, wish, with: evidence)
            return evidence
        }
        say("With the key's second assertion, without Apple, it got a password for a survey (200).")
        async let redemption: Void = redeem(password)
        try await expect(.forbidden, "the same assertion once more, for the password of an error log, is refused") {
            _ = try await stage.apps.requestPassword(for: .log, wish, with: shown)
        }
        try await redemption
        say("The survey's server redeemed the password (200).")
    }

    private func redeem(_ password: OneTimePassword) async throws {
        let answer = try await stage.surveys.call(DonationAPI.surveyRedemption, RedemptionRequest(password.text))
        try require(
            answer.state == .valid && answer.strongClientIntegrityCheck, "the survey's server should be told valid")
    }

    private static func analyticsData() throws -> [UInt8] {
        try AnalyticsData(
            risk: DonatedRisk(encounters: .init(.high, levelChanged: true)),
            client: DonationFormat.AppClient(
                version: .init(3, 2, 0), system: .iOS(.init(17, 1, 0))),
            user: UserGroup(federalState: 13, age: .to59)
        ).encoded()
    }
}
