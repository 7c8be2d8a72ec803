/// What a device says of an app and of a key, in the form of WebAuthn (level 2, section 6.1).
///
/// The form follows from the length, not from the flags: Apple's systems leave the flags for attested data and for
/// extensions in a state that doesn't fit what follows (iOS 27; Apple's sample in "Attestation Object Validation
/// Guide").
package struct AuthenticatorData: Sendable {
    /// SHA-256 of the App ID.
    package let appHash: [UInt8]
    /// How often the key signed.
    package let counter: UInt32
    /// What an attestation says of the key; nil in an assertion.
    package let credential: AttestedCredential?
    /// What systems from iOS 27 on add.
    package let extensions: AppAttestExtensions

    private static let hashBytes = 32
    /// Of the hash, the flags and the counter.
    private static let headBytes = 37

    /// Reads an attestation's data, or an assertion's, which name no key; nil unless they end where they should.
    package init?(_ bytes: [UInt8], ofAttestation: Bool) {
        guard bytes.count >= Self.headBytes else { return nil }
        appHash = Array(bytes[..<Self.hashBytes])
        counter = bytes[(Self.hashBytes + 1)..<Self.headBytes].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[Self.headBytes...]
        if ofAttestation {
            guard let (read, count) = AttestedCredential.first(in: rest) else { return nil }
            credential = read
            rest = rest.dropFirst(count)
        } else {
            credential = nil
        }
        guard let read = AppAttestExtensions(rest) else { return nil }
        extensions = read
    }
}
