import Crypto

/// The bytes of TLS files at one moment.
struct TLSContents: Sendable {
    let certificate: [UInt8]
    let key: [UInt8]
    /// Nil where no certificate is asked for.
    let authorities: [UInt8]?
    /// Nil where no list is named.
    let denied: [UInt8]?

    /// Shows whether files have changed without keeping a copy of the key.
    var fingerprint: SHA256Digest {
        var hash = SHA256()
        for file in [certificate, key, authorities ?? [], denied ?? []] {
            hash.update(data: SHA256.hash(data: file).map { $0 })
        }
        return hash.finalize()
    }
}
