package import HTTPContract
import HTTPTypes

/// The operations of data-donation: for apps (cwa-ppa-server, `IosController`, `AndroidController`), for the servers of surveys and of
/// error logs (`OtpController` of edus and els-verify), and for the verification server, which redeems self-reports' passwords in batches,
/// in place of srs-verify.
package enum DonationAPI {
    /// Evidence has up to 26 kB, a password 60 bytes.
    private static let passwordLimit = 32_768
    /// As many exposure windows as are stored (672) take up to 130 kB.
    private static let analyticsLimit = 196_608

    // MARK: App listener, reached through the metadata proxy only

    /// A password for a survey on an iPhone, good for an hour.
    package static let surveyOnIOS = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/ios/otp", callers: [.metadataProxy], bodyLimit: passwordLimit,
        summary: "A one-time password for a survey.", errorCodes: codesOnIOS, refusals: refusals)
    /// A password for a survey on an Android phone, good for an hour.
    package static let surveyOnAndroid = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/android/otp", callers: [.metadataProxy], bodyLimit: passwordLimit,
        summary: "A one-time password for a survey.", errorCodes: codesOnAndroid, refusals: refusals)
    /// A password to send an error log from an iPhone, good for an hour.
    package static let logOnIOS = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/ios/els", callers: [.metadataProxy], bodyLimit: passwordLimit,
        summary: "A one-time password for an error log.", errorCodes: codesOnIOS, refusals: refusals)
    /// A password to send an error log from an Android phone, good for an hour.
    package static let logOnAndroid = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/android/els", callers: [.metadataProxy], bodyLimit: passwordLimit,
        summary: "A one-time password for an error log.", errorCodes: codesOnAndroid, refusals: refusals)
    /// A password to warn others without a registered test from an iPhone, good for half an hour.
    package static let reportOnIOS = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/ios/srs", callers: [.metadataProxy], bodyLimit: passwordLimit,
        summary: "A one-time password for a self-report.", errorCodes: codesOnIOS, refusals: refusals)
    /// A password to warn others without a registered test from an Android phone, good for half an hour.
    package static let reportOnAndroid = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/android/srs", callers: [.metadataProxy], bodyLimit: passwordLimit,
        summary: "A one-time password for a self-report.", errorCodes: codesOnAndroid, refusals: refusals)

    /// What an iPhone's next assertions of App Attest have to cover. It is the same for everybody within an hour.
    package static let challenge = Endpoint<NoContent, ChallengeAnswer>(
        .get, "/version/v1/ios/challenge", callers: [.metadataProxy], bodyLimit: 0,
        summary: "The challenge of this hour for App Attest.")

    /// Data for analysis from an iPhone.
    package static let analyticsOnIOS = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/ios/dat", callers: [.metadataProxy], bodyLimit: analyticsLimit,
        summary: "Stores data that a user donates for analysis.", errorCodes: codesOnIOS, refusals: refusals)
    /// Data for analysis from an Android phone.
    package static let analyticsOnAndroid = Endpoint<DonationBody, ExpirationAnswer>(
        .post, "/version/v1/android/dat", callers: [.metadataProxy], bodyLimit: analyticsLimit,
        summary: "Stores data that a user donates for analysis.", errorCodes: codesOnAndroid, refusals: refusals)

    private static let refusals: [HTTPResponse.Status: String] = [
        .badRequest: "The body is no request, or a part of the evidence is missing or can't be one.",
        .unauthorized: "The evidence isn't Apple's or Google's, or the device is blocked.",
        .forbidden:
            "The evidence is of another app, device or payload, too old, or used; or the caller has another role.",
        .tooManyRequests: "The device has had its share.",
    ]

    // MARK: Redemption listener

    /// Redeems a survey's password.
    package static let surveyRedemption = Endpoint<RedemptionRequest, RedemptionAnswer>(
        .post, "/version/v1/otp", callers: [.surveyServer], bodyLimit: redemptionLimit,
        summary: "Uses up a one-time password for a survey.", refusals: redemptionRefusals)
    /// Redeems an error log's password.
    package static let logRedemption = Endpoint<RedemptionRequest, RedemptionAnswer>(
        .post, "/version/v1/els", callers: [.logServer], bodyLimit: redemptionLimit,
        summary: "Uses up a one-time password for an error log.", refusals: redemptionRefusals)
    /// Redeems passwords of self-reports.
    ///
    /// The verification server calls it for every batch of uploads with as many entries, most of which nobody was given, so that neither
    /// the call nor its status or size shows a self-report.
    package static let reportRedemptions = Endpoint<ReportRedemptions, RedeemedReports>(
        .post, "/version/v1/srs/redemptions", callers: [.verificationServer], bodyLimit: 65_536,
        summary: "Uses up one-time passwords for self-reports.")

    /// The most entries in one call of ``reportRedemptions``: as many as a batch of uploads has.
    package static let maximumEntries = 256

    private static let redemptionLimit = 1024
    private static let redemptionRefusals: [HTTPResponse.Status: String] = [
        .badRequest: "The password was redeemed before or has expired, as the body says, or isn't a UUID.",
        .notFound: "Nobody was given the password, or not for this purpose.",
    ]
}
