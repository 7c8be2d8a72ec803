/// A certificate or key that is DER, and yet none of those that are read or made here. It names the rule, never a value.
package enum CertificateError: Error, Hashable, Sendable {
    /// A version other than 1 to 3, or a field that the version doesn't have (RFC 5280, section 4.1.2.1).
    case version
    /// The two names of the signature's algorithm differ (RFC 5280, section 4.1.1.2).
    case differingAlgorithms
    /// An extension stands twice (RFC 5280, section 4.2).
    case repeatedExtension
    /// An extension's value isn't what RFC 5280 says, or can't be written.
    case extensionValue
    /// A public key is none of its algorithm's.
    case publicKey
    /// A private key is of no kind that signs here, or can't be read.
    case privateKey
    /// A key can't sign with an algorithm.
    case unsupportedAlgorithm
    /// A text in PEM holds something else.
    case otherDocument
    /// A time is before the year 0 or after 9999.
    case time
}
