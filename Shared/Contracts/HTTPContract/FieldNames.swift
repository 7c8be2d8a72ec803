package import HTTPTypes

/// The header fields of Corona-Warn-App (cwa-verification-server, cwa-server).
extension HTTPField.Name {
    /// `1` marks a request that only looks like one, so that nobody can tell who has something to hide.
    package static let cwaFake = known("cwa-fake")
    /// Names one attempt, so that its repetition is known for one (IETF draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = known("Idempotency-Key")
    /// The TAN of an upload.
    package static let cwaAuthorization = known("cwa-authorization")
    /// Whether a teleTAN, and the TAN that comes of it, is for a test or for an event.
    package static let teleTANType = known("X-CWA-TELETAN-TYPE")
    /// How many check-ins of an upload were left out.
    package static let filteredCheckIns = known("cwa-filtered-checkins")
    /// How many check-ins of an upload were stored.
    package static let savedCheckIns = known("cwa-saved-checkins")

    /// `1` while so many teleTANs are refused that somebody guesses; a service tells the metadata proxy, and nobody else.
    package static let teleTANsStrained = known("vigil-teletans-strained")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}
