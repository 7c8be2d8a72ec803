import Calling
import Credentials
import DevelopmentAttestationAPI
import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import HTTPTypes
import Phone
import PlayIntegrity

/// What genuine apps do beside warnings: surveys, donations of data, reports without a registered test.
extension Story {
    /// An Android phone answers a survey and donates data.
    func donate() async throws {
        var random = SystemRandomNumberGenerator()
        let password = OneTimePassword(using: &random)
        let wish = try PasswordRequest(password).encoded()
        let evidence = try await androidEvidence(for: wish)
        let end = try await stage.apps.requestPassword(for: .survey, wish, with: evidence)
        say(
            "Phone S, of which Google says that its app is genuine, got a password for a survey (200), good until \(end)."
        )
        let other = try PasswordRequest(OneTimePassword(using: &random)).encoded()
        try await expect(.forbidden, "the same evidence for another password is refused") {
            _ = try await stage.apps.requestPassword(for: .survey, other, with: evidence)
        }
        let redemption = RedemptionRequest(password.text)
        let answer = try await stage.surveys.call(DonationAPI.surveyRedemption, redemption)
        try require(
            answer.state == .valid && answer.strongClientIntegrityCheck, "the survey's server should be told valid")
        try await expect(.badRequest, "the survey's server can't redeem it a second time") {
            _ = try await stage.surveys.call(DonationAPI.surveyRedemption, redemption)
        }
        say("Its owner took part: the survey's server redeemed the password (200).")
        let data = try AnalyticsData(
            risk: DonatedRisk(encounters: .init(.high, levelChanged: true)),
            client: DonationFormat.AppClient(
                version: .init(3, 2, 0), system: .iOS(.init(17, 1, 0))),
            user: UserGroup(federalState: 13, age: .to59)
        ).encoded()
        let month = UUID()
        try await stage.apps.donate(data, with: iPhoneEvidence(month))
        say(
            "Phone I, an iPhone that Apple knows, donated what it was warned of (200), sealed until the hour is folded."
        )
        try await expect(.tooManyRequests, "a second donation on the same day is refused") {
            try await stage.apps.donate(data + [0x0a, 0], with: iPhoneEvidence(month))
        }
        try await stage.apps.pretendToRequestPassword(for: .survey, on: .android)
        say("Phone C asked for nothing, in a request of the same length (200).")
    }

    /// What Google says of an Android phone for a payload.
    private func androidEvidence(for payload: [UInt8]) async throws -> AppEvidence {
        let salt = Self.random(16)
        let digest = SimulatedAccount.androidSigner.replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        let token = try await stage.vouchers.call(
            DevelopmentAttestationAPI.integrityToken,
            IntegrityTokenQuery(
                nonce: PlayIntegrityPolicy.binding(salt: salt, payload: payload),
                packageName: SimulatedAccount.topic, certificateDigests: [digest])
        ).token
        return .android(AndroidEvidence(salt: Data(salt).base64EncodedString(), playIntegrity: token))
    }

    /// An iPhone, of which Apple knows, and nothing else.
    /// - Parameter month: the token that its app chose for the month, which here names the phone, too.
    private func iPhoneEvidence(_ month: UUID) async throws -> AppEvidence {
        let token = try await stage.vouchers.call(
            DevelopmentAttestationAPI.deviceToken, DeviceTokenQuery(device: month.uuidString)
        ).token
        return .iOS(IOSEvidence(deviceToken: token, apiToken: month.uuidString))
    }
}
