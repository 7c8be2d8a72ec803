import Crypto

/// The bytes of TLS files at one time.
struct TLSContents: Sendable {
    let certificate: [UInt8]
    let key: [UInt8]
    /// Nil if no certificate is required.
    let authorities: [UInt8]?
    /// Nil if no list is configured.
    let denied: [UInt8]?

    /// Detects changed files without keeping a copy of the key.
    var fingerprint: SHA256Digest {
        var hash = SHA256()
        for file in [certificate, key, authorities ?? [], denied ?? []] {
            hash.update(data: SHA256.hash(data: file).map { $0 })
        }
        return hash.finalize()
    }
}
