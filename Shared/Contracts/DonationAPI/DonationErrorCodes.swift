package import HTTPContract

// What published apps know of refusals (cwa-ppa-server, `PpacErrorCode`; cwa-app-ios, `PPACError`; cwa-app-android, `SrsSubmissionException`).
// The iOS app can't read an answer with any other code.

extension ErrorCode {
    /// The month's token is new, but the device has had one this month.
    package static let apiTokenAlreadyIssued = ErrorCode(rawValue: "API_TOKEN_ALREADY_ISSUED")
    /// The token is of another month.
    package static let apiTokenExpired = ErrorCode(rawValue: "API_TOKEN_EXPIRED")
    /// An iPhone has had its share.
    package static let apiTokenQuotaExceeded = ErrorCode(rawValue: "API_TOKEN_QUOTA_EXCEEDED")
    /// Both bits of the device are set.
    package static let deviceBlocked = ErrorCode(rawValue: "DEVICE_BLOCKED")
    /// Apple doesn't know the device token, or didn't attest the key.
    package static let deviceTokenInvalid = ErrorCode(rawValue: "DEVICE_TOKEN_INVALID")
    /// The device token, or the assertion, admitted another request.
    package static let deviceTokenRedeemed = ErrorCode(rawValue: "DEVICE_TOKEN_REDEEMED")
    /// The request, or an iPhone's evidence, has a part that can't be one.
    package static let deviceTokenSyntaxError = ErrorCode(rawValue: "DEVICE_TOKEN_SYNTAX_ERROR")

    /// A part of an Android phone's evidence is missing.
    package static let missingFields = ErrorCode(rawValue: "MISSING_MANDATORY_AUTHENTICATION_FIELDS")
    /// The salt admitted another request.
    package static let saltRedeemed = ErrorCode(rawValue: "SALT_REDEEMED")
    /// An Android phone has had its share.
    package static let deviceQuotaExceeded = ErrorCode(rawValue: "DEVICE_QUOTA_EXCEEDED")
    /// The evidence is too old.
    package static let attestationExpired = ErrorCode(rawValue: "ATTESTATION_EXPIRED")
    /// The evidence covers another payload.
    package static let nonceMismatch = ErrorCode(rawValue: "NONCE_MISMATCH")
    /// The evidence is of another app.
    package static let packageMismatch = ErrorCode(rawValue: "APK_PACKAGE_NAME_MISMATCH")
}

extension DonationAPI {
    /// The codes for iPhones.
    package static let codesOnIOS: Set<ErrorCode> = [
        .apiTokenAlreadyIssued, .apiTokenExpired, .apiTokenQuotaExceeded, .deviceBlocked, .deviceTokenInvalid,
        .deviceTokenRedeemed, .deviceTokenSyntaxError, .attestationExpired, .nonceMismatch, .packageMismatch,
    ]

    /// The codes for Android phones.
    package static let codesOnAndroid: Set<ErrorCode> = Set(
        [
            "FAILED_ATTESTATION_HOSTNAME_VALIDATION", "JWS_SIGNATURE_VERIFICATION_FAILED",
            "APK_CERTIFICATE_MISMATCH", "BASIC_INTEGRITY_REQUIRED", "CTS_PROFILE_MATCH_REQUIRED",
            "EVALUATION_TYPE_BASIC_REQUIRED", "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED",
        ].map(ErrorCode.init)
    ).union([
        .missingFields, .saltRedeemed, .deviceQuotaExceeded, .attestationExpired, .nonceMismatch, .packageMismatch,
        .deviceTokenSyntaxError,
    ])
}
