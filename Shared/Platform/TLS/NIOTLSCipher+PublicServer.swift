package import NIOSSL

extension NIOTLSCipher {
    /// What a public server offers with TLS 1.2: one suite for each kind of key. The suites of TLS 1.3 can't be set in the
    /// library.
    ///
    /// It is the suite that HTTP/2 requires (RFC 9113, 9.2.2), and the same for ECDSA. A single suite leaves nothing to
    /// downgrade to, which matters because the library can't prefer the server's order; and it makes phones harder to tell
    /// apart. Neither uses CBC, whose padding is open to the Lucky Thirteen attack.
    package static let publicServer: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ]
}
