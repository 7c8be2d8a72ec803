package import HTTPContract
import HTTPTypes

/// The operations of the verification server: for apps on one listener, for the suite and the portal on another.
///
/// They follow cwa-verification-server; reservations and confirmations are an addition of Vigil, see ARCHITECTURE.md.
package enum VerificationAPI {
    /// The apps pad a request body to 250 bytes; no request needs more than this limit.
    private static let smallBody = 10_000

    // MARK: App listener, reached through the metadata proxy only

    /// Exchanges a GUID or a teleTAN for a registration token, once.
    package static let registrationToken = Endpoint<RegistrationTokenRequest, RegistrationTokenResponse>(
        .post, "/version/v1/registrationToken", callers: [.metadataProxy], bodyLimit: smallBody, success: .created,
        summary: "A GUID or a teleTAN becomes a registration token, once.",
        refusals: [.badRequest: "The request is malformed, or its GUID or teleTAN is unknown, used or expired."])

    /// Returns the result of the registered test.
    package static let testResult = Endpoint<RegisteredTestRequest, TestResultResponse>(
        .post, "/version/v1/testresult", callers: [.metadataProxy], bodyLimit: smallBody,
        summary: "The result of a registered test.",
        refusals: [
            .badRequest: "The request is malformed, or the token unknown.",
            .forbidden: "The results under the test's two ids differ, or the caller has another role.",
        ])

    /// Issues the one TAN of a registration.
    ///
    /// A repeat returns the same TAN until something is uploaded with it, so a lost answer costs nothing.
    package static let tan = Endpoint<RegisteredTestRequest, TANResponse>(
        .post, "/version/v1/tan", callers: [.metadataProxy], bodyLimit: smallBody, success: .created,
        summary: "The TAN of a positive test.",
        refusals: [
            .badRequest:
                "The request is malformed, the token unknown, the test not positive, or its TAN used or expired."
        ])

    // MARK: Internal listener

    /// Reserves TANs, and passwords of self-reports, each for one upload; see ``TANReservation``.
    package static let reservations = Endpoint<TANReservations, TANOutcomes>(
        .post, "/version/v1/tan/reservations", callers: [.submissionServer], bodyLimit: 65_536,
        summary: "Reserves TANs and passwords of self-reports, each for one upload.")

    /// Confirms reservations whose upload is stored; see ``TANConfirmation``.
    package static let confirmations = Endpoint<TANConfirmations, TANOutcomes>(
        .post, "/version/v1/tan/confirmations", callers: [.submissionServer], bodyLimit: 65_536,
        summary: "Confirms that the uploads of reserved TANs are stored.")

    /// Issues a new teleTAN for a health officer.
    package static let teleTAN = Endpoint<TeleTANRequest, TeleTANResponse>(
        .post, "/version/v1/tan/teletan", callers: [.healthPortal, .portal], bodyLimit: 1024, success: .created,
        summary: "A new teleTAN for a health officer to read out.",
        refusals: [
            .unauthorized: "The officer's token is not in order, or allows no such teleTAN.",
            .tooManyRequests: "This officer, or all together, made too many within the hour.",
        ])

    /// Whether phones can register with a teleTAN now, for the portal's operators.
    package static let teleTANState = Endpoint<NoContent, TeleTANState>(
        .get, "/version/v1/tan/teletan/state", callers: [.healthPortal], bodyLimit: 0,
        summary: "Whether teleTANs are accepted.")

    /// Redeems one TAN at once, for submission services without reservation and confirmation.
    package static let tanVerification = Endpoint<TANVerification, VerifiedTAN>(
        .post, "/version/v1/tan/verify", callers: [.submissionServer], bodyLimit: 1024,
        summary: "Uses up a TAN at once.", refusals: [.notFound: "The TAN is unknown, used, reserved or expired."])

    /// Returns the result of a registered test with the test's id, for test certificates.
    package static let certificateResult = Endpoint<CertificateResultRequest, CertificateResultResponse>(
        .post, "/version/v1/testresult", callers: [.certificateServer], bodyLimit: 1024,
        summary: "The result of a registered test with the test's id.",
        refusals: [
            .forbidden: "The registration came of a teleTAN, the results under its two ids differ, or the caller has "
                + "another role.",
            .notFound: "The token is unknown.",
        ])

    /// The maximum number of entries in one call of `reservations` or `confirmations`.
    package static let maximumEntries = 256
}
