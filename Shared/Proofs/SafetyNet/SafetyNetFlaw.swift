/// Why a statement of SafetyNet doesn't show that a genuine app sent something. The text is a metric's label.
///
/// In the order in which cwa-ppa-server looks for them.
package enum SafetyNetFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// There is no statement, no salt, or no nonce in the statement.
    case missing
    /// It isn't a JWS with RS256 and certificates.
    case unreadable
    /// The certificates don't lead to a pinned root at this time.
    case chain
    /// The certificate's key didn't sign it.
    case forged
    /// The certificate belongs to another host than Google's attestation service.
    case host
    /// It is about another payload.
    case binding
    /// It is too old, or from the future.
    case stale
    /// It is about another app.
    case package
    /// Somebody else signed the app.
    case signer
    /// The device was tampered with.
    case basicIntegrity = "basic_integrity"
    /// The device isn't one that passed Android's compatibility tests.
    case profile
    /// Google evaluated no software of the device.
    case basicEvaluation = "basic_evaluation"
    /// Google evaluated nothing in the device's hardware.
    case hardwareEvaluation = "hardware_evaluation"

    /// What cwa-ppa-server answers (`PpacErrorCode`), which the app knows.
    package var errorCode: String {
        switch self {
        case .missing: "MISSING_MANDATORY_AUTHENTICATION_FIELDS"
        case .unreadable, .chain, .forged: "JWS_SIGNATURE_VERIFICATION_FAILED"
        case .host: "FAILED_ATTESTATION_HOSTNAME_VALIDATION"
        case .binding: "NONCE_MISMATCH"
        case .stale: "ATTESTATION_EXPIRED"
        case .package: "APK_PACKAGE_NAME_MISMATCH"
        case .signer: "APK_CERTIFICATE_MISMATCH"
        case .basicIntegrity: "BASIC_INTEGRITY_REQUIRED"
        case .profile: "CTS_PROFILE_MATCH_REQUIRED"
        case .basicEvaluation: "EVALUATION_TYPE_BASIC_REQUIRED"
        case .hardwareEvaluation: "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED"
        }
    }
}
