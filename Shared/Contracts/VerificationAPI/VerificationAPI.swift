package import HTTPContract
import HTTPTypes

/// What the verification server offers: to apps on one listener, to the suite and the portal on another
/// (Corona-Warn-App sheet, 1.2; reservations are ours, design "Two lives").
package enum VerificationAPI {
    /// A request body of the apps is padded to 250 bytes; nobody needs more than this.
    private static let smallBody = 10_000

    // MARK: App listener, reached through the metadata proxy only

    /// A GUID or a teleTAN becomes a registration token, once. 400: malformed, or unknown, used or expired.
    package static let registrationToken = Endpoint<RegistrationTokenRequest, RegistrationTokenResponse>(
        .post, "/version/v1/registrationToken", callers: [.metadataProxy], bodyLimit: smallBody, success: .created)

    /// The result of the registered test. 400: malformed or unknown token; 403: the results under the test's two ids
    /// differ.
    package static let testResult = Endpoint<RegisteredTestRequest, TestResultResponse>(
        .post, "/version/v1/testresult", callers: [.metadataProxy], bodyLimit: smallBody)

    /// The one TAN of a registration. 400: malformed or unknown token, not positive, or already redeemed. A repeat is
    /// given the same TAN for as long as nothing was uploaded with it, so a lost answer costs nothing.
    package static let tan = Endpoint<RegisteredTestRequest, TANResponse>(
        .post, "/version/v1/tan", callers: [.metadataProxy], bodyLimit: smallBody, success: .created)

    // MARK: Internal listener

    /// Reserves TANs, each for one upload; see ``TANReservation``.
    package static let reservations = Endpoint<TANReservations, TANOutcomes>(
        .post, "/version/v1/tan/reservations", callers: [.submissionServer], bodyLimit: 65_536)

    /// Confirms reservations whose upload is stored; see ``TANConfirmation``.
    package static let confirmations = Endpoint<TANConfirmations, TANOutcomes>(
        .post, "/version/v1/tan/confirmations", callers: [.submissionServer], bodyLimit: 65_536)

    /// A new teleTAN for a health officer. 401: no acceptable officer token; 429: too many teleTANs were made
    /// within the hour, by this officer or by all.
    package static let teleTAN = Endpoint<TeleTANRequest, TeleTANResponse>(
        .post, "/version/v1/tan/teletan", callers: [.portal], bodyLimit: 1024, success: .created)

    /// Uses up one TAN at once, for submission services that know neither reservation nor confirmation. 404: unknown,
    /// used, reserved or expired.
    package static let tanVerification = Endpoint<TANVerification, VerifiedTAN>(
        .post, "/version/v1/tan/verify", callers: [.submissionServer], bodyLimit: 1024)

    /// The result of a registered test with its test's id, for test certificates. 403: the registration came of a
    /// teleTAN, or the results under its two ids differ; 404: unknown token.
    package static let certificateResult = Endpoint<CertificateResultRequest, CertificateResultResponse>(
        .post, "/version/v1/testresult", callers: [.certificateServer], bodyLimit: 1024)

    /// The most entries of one call of ``reservations`` or ``confirmations``.
    package static let maximumEntries = 256
}
