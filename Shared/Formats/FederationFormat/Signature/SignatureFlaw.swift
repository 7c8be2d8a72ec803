/// Why a signature isn't accepted. The text is a metric's label.
package enum SignatureFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// It isn't a SignedData of CMS with one signer, in Base64 where that is expected.
    case unreadable
    /// It contains other content than was signed.
    case attached
    /// The signer, or the certificates beside the signature, are others than the pinned certificate.
    case otherSigner = "other_signer"
    /// It uses RSA-PSS, DSA, MD5, SHA-1 or something else that isn't ECDSA or RSA (PKCS #1, version 1.5) with SHA-256
    /// or better.
    case algorithm
    /// The key isn't on P-256, P-384 or P-521, nor RSA with as many bits as are asked for, and at most 8192.
    case key
    /// The signed attributes are of another content, aren't in DER, or there are two of a kind.
    case attributes
    /// The time at which the signer claims to have signed is outside of the certificate's validity.
    case signingTime = "signing_time"
    /// It doesn't match content and key.
    case mismatch
}
