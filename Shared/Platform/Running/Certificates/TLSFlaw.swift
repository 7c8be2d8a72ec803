/// What is wrong with TLS files. The log shows its name, never paths or contents.
package enum TLSFlaw: String, Error {
    /// There is no certificate, or it is incomplete.
    case certificate
    /// There is no private key.
    case key
    /// There is no authority, or it is incomplete.
    case authorities
    /// The list of denied certificates is missing or incomplete, or has a line that isn't a fingerprint.
    case denied
    /// The certificate belongs to another key, for example because only one of the two files has been replaced.
    case pair
    /// The certificate has expired.
    case expired
    /// The TLS library can't do what every connection needs.
    case library
}
