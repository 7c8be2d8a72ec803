package import NIOSSL

extension NIOTLSCipher {
    /// What a server offers with TLS 1.2 to those who aren't ours: one suite for each kind of key. Those of TLS 1.3 aren't a
    /// setting of the library.
    ///
    /// It is the suite that whoever speaks HTTP/2 must have (RFC 9113, 9.2.2), and its twin for ECDSA. With one there is
    /// nothing to be talked down to, which matters because the library can't put the server's order above the client's; and
    /// phones show one difference less. None has CBC, whose padding is open to Lucky 13.
    package static let forEverybody: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ]
}
