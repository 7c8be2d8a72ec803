package import HTTPContract
import HTTPTypes

/// The operations of data-donation: for apps (cwa-ppa-server, `IosController`, `AndroidController`), and for the servers of surveys, of
/// error logs, and of self-reports (`OtpController` of edus, els-verify and srs-verify).
package enum DonationAPI {
    /// Evidence has up to 26 kB, a password 60 bytes.
    private static let passwordLimit = 32_768
    /// As many exposure windows as are stored (672) take up to 130 kB.
    private static let analyticsLimit = 196_608

    // MARK: App listener, reached through the metadata proxy only

    /// A password for a survey on an iPhone, good for an hour.
    package static let surveyOnIOS = password(.iOS, "/version/v1/ios/otp", "A one-time password for a survey.")
    /// A password for a survey on an Android phone, good for an hour.
    package static let surveyOnAndroid = password(
        .android, "/version/v1/android/otp", "A one-time password for a survey.")
    /// A password to send an error log from an iPhone, good for an hour.
    package static let logOnIOS = password(.iOS, "/version/v1/ios/els", "A one-time password for an error log.")
    /// A password to send an error log from an Android phone, good for an hour.
    package static let logOnAndroid = password(
        .android, "/version/v1/android/els", "A one-time password for an error log.")
    /// A password to warn others without a registered test from an iPhone, good for half an hour.
    package static let reportOnIOS = password(.iOS, "/version/v1/ios/srs", "A one-time password for a self-report.")
    /// A password to warn others without a registered test from an Android phone, good for half an hour.
    package static let reportOnAndroid = password(
        .android, "/version/v1/android/srs", "A one-time password for a self-report.")

    /// What an iPhone's next assertions of App Attest have to cover. It is the same for everybody within an hour.
    package static let challenge = Endpoint<NoContent, ChallengeAnswer>(
        .get, "/version/v1/ios/challenge", callers: [.metadataProxy], bodyLimit: 0,
        summary: "The challenge of this hour for App Attest.")

    /// Data for analysis from an iPhone.
    package static let analyticsOnIOS = donation(
        .iOS, "/version/v1/ios/dat", analyticsLimit, "Stores data that a user donates for analysis.")
    /// Data for analysis from an Android phone.
    package static let analyticsOnAndroid = donation(
        .android, "/version/v1/android/dat", analyticsLimit, "Stores data that a user donates for analysis.")

    private enum Platform {
        case iOS
        case android
    }

    private static func password(
        _ platform: Platform, _ path: String, _ summary: String
    ) -> Endpoint<DonationBody, ExpirationAnswer> {
        donation(platform, path, passwordLimit, summary)
    }

    private static func donation(
        _ platform: Platform, _ path: String, _ limit: Int, _ summary: String
    ) -> Endpoint<DonationBody, ExpirationAnswer> {
        Endpoint(
            .post, path, callers: [.metadataProxy], bodyLimit: limit, summary: summary,
            errorCodes: platform == .iOS ? codesOnIOS : codesOnAndroid,
            refusals: [
                .badRequest: "The body is no request, or a part of the evidence is missing or can't be one.",
                .unauthorized: "The evidence isn't Apple's or Google's, or the device is blocked.",
                .forbidden:
                    "The evidence is of another app, device or payload, too old, or used; or the caller has another role.",
                .tooManyRequests: "The device has had its share.",
            ])
    }

    // MARK: Redemption listener

    /// Redeems a survey's password.
    package static let surveyRedemption = strictRedemption("/version/v1/otp", by: .surveyServer, "a survey")
    /// Redeems an error log's password.
    package static let logRedemption = strictRedemption("/version/v1/els", by: .logServer, "an error log")
    /// Redeems a self-report's password. Its state is in the answer.
    package static let reportRedemption = Endpoint<RedemptionRequest, RedemptionAnswer>(
        .post, "/version/v1/srs", callers: [.verificationServer], bodyLimit: redemptionLimit,
        summary: "Uses up a one-time password for a self-report.",
        refusals: [.badRequest: "The password isn't a UUID.", .notFound: unknown])

    private static let redemptionLimit = 1024
    private static let unknown = "Nobody was given the password, or not for this purpose."

    private static func strictRedemption(
        _ path: String, by caller: Role, _ purpose: String
    ) -> Endpoint<RedemptionRequest, StrictRedemptionAnswer> {
        Endpoint(
            .post, path, callers: [caller], bodyLimit: redemptionLimit,
            summary: "Uses up a one-time password for \(purpose).",
            refusals: [
                .badRequest: "The password was redeemed before or has expired, as the body says, or isn't a UUID.",
                .notFound: unknown,
            ])
    }
}
