package import HTTPTypes

/// The header fields of Corona-Warn-App (cwa-verification-server, cwa-server).
extension HTTPField.Name {
    /// `1` marks a dummy request, which hides the real ones.
    package static let cwaFake = known("cwa-fake")
    /// Identifies one attempt, so that a repeat is recognised (IETF draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = known("Idempotency-Key")
    /// The TAN of an upload.
    package static let cwaAuthorization = known("cwa-authorization")
    /// The one-time password of a self-report, in place of a TAN.
    package static let cwaOTP = known("cwa-otp")
    /// Whether a teleTAN, and the TAN derived from it, is for a test or for an event.
    package static let teleTANType = known("X-CWA-TELETAN-TYPE")
    /// How many check-ins of an upload were dropped.
    package static let filteredCheckIns = known("cwa-filtered-checkins")
    /// How many check-ins of an upload were stored.
    package static let savedCheckIns = known("cwa-saved-checkins")

    /// `1` while the rate of refused teleTANs suggests guessing; a service tells only the metadata proxy.
    package static let teleTANsStrained = known("vigil-teletans-strained")

    /// The name of a field, as a literal.
    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}
