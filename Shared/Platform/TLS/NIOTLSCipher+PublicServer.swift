package import NIOSSL

extension NIOTLSCipher {
    /// The cipher suites that a public server offers with TLS 1.2: one for each kind of key.
    ///
    /// The library doesn't let us choose those of TLS 1.3.
    ///
    /// It is the suite that HTTP/2 requires (RFC 9113, 9.2.2), and the same for ECDSA. A single suite leaves nothing to
    /// downgrade to, which matters because the library can't enforce the server's preference. It also makes phones harder to
    /// distinguish. Neither suite uses CBC, whose padding is vulnerable to the Lucky Thirteen attack.
    package static let publicServer: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ]
}
