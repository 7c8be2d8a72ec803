/// What is wrong with TLS files. Its name goes to the log; paths and contents don't.
package enum TLSFlaw: String, Error {
    /// No certificate, or one that isn't written to its end.
    case certificate
    /// No private key.
    case key
    /// No authority, or one that isn't written to its end.
    case authorities
    /// The list of denied certificates has a line that is no fingerprint, isn't written to its end, or isn't there.
    case denied
    /// The certificate is another key's, as between the writing of one file and of the other.
    case pair
    /// The certificate has expired.
    case expired
    /// The TLS library is not the version this was written for: it would remember callers.
    case library
}
