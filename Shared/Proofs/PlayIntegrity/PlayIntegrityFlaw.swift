/// Why Google's judgement doesn't show that a genuine app sent something. The text is a metric's label.
///
/// In the order in which they are looked for.
package enum PlayIntegrityFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It isn't a token in the only form that is accepted, or what it contains isn't a judgement.
    case unreadable
    /// It wasn't encrypted and signed with the keys of this app.
    case forged
    /// It is about another payload, or another kind of request.
    case binding
    /// It is too old, or from the future.
    case stale
    /// Google didn't judge the app, as a rule because it doesn't trust the device.
    case notJudged = "not_judged"
    /// It is about another app.
    case package
    /// Somebody else signed the app.
    case signer
    /// Google distributed no such version.
    case unrecognised
    /// The device's owner didn't get the app from Google Play.
    case unlicensed
    /// A tester chose the answer.
    case testing
    /// The device passes no check of the system.
    case basicIntegrity = "basic_integrity"
    /// The device isn't certified for Google Play.
    case deviceIntegrity = "device_integrity"
    /// Nothing in the device's hardware vouches for it.
    case strongIntegrity = "strong_integrity"

    /// The code of cwa-ppa-server (`PpacErrorCode`) with the nearest meaning: those of that server were of an older service.
    package var errorCode: String {
        switch self {
        case .unreadable, .forged: "JWS_SIGNATURE_VERIFICATION_FAILED"
        case .binding: "NONCE_MISMATCH"
        case .stale: "ATTESTATION_EXPIRED"
        case .notJudged, .package: "APK_PACKAGE_NAME_MISMATCH"
        case .signer, .unrecognised, .unlicensed, .testing: "APK_CERTIFICATE_MISMATCH"
        case .basicIntegrity: "BASIC_INTEGRITY_REQUIRED"
        case .deviceIntegrity: "CTS_PROFILE_MATCH_REQUIRED"
        case .strongIntegrity: "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED"
        }
    }
}
