/// Why evidence of App Attest doesn't show that a genuine app sent something. The text is a metric's label.
///
/// In the order in which ``AppAttestPolicy`` looks for them: that of Apple's "Validating apps that connect to your
/// server".
package enum AppAttestFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It is too long, isn't strict CBOR, or has other parts than Apple's.
    case unreadable
    /// The certificates aren't a leaf for a key on P-256 and an intermediate one that lead to a pinned root at this
    /// time.
    case chain
    /// The leaf's statement of what was attested is missing, is there twice, or has another form.
    case statement
    /// It is about other authenticator data, or about another challenge.
    case binding
    /// The assertion isn't signed by the key.
    case forged
    /// The key isn't the one that the app names.
    case key
    /// It is another app's.
    case app
    /// The counter isn't 0 in an attestation, or isn't higher than the last one in an assertion.
    case counter
    /// It comes from another of Apple's services.
    case environment
    /// The authenticator data name another key.
    case credential
    /// The authenticator data have another key than the leaf.
    case credentialKey = "credential_key"
    /// The app got to the device in a way that isn't accepted.
    case category
}
