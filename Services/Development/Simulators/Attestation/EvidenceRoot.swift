import SwiftASN1
import X509

/// The authority at the top of Apple's simulated certificates, with its private key.
package struct EvidenceRoot: Sendable {
    let certificate: Certificate
    let key: Certificate.PrivateKey

    /// The key and the certificate don't belong together, or can't be read.
    package struct Mismatch: Error {}

    /// Reads a root.
    package init(certificatePEM: String, privateKeyPEM: String) throws(Mismatch) {
        guard let certificate = try? Certificate(pemEncoded: certificatePEM),
            let key = try? Certificate.PrivateKey(pemEncoded: privateKeyPEM), key.publicKey == certificate.publicKey
        else { throw Mismatch() }
        self.certificate = certificate
        self.key = key
    }

    /// The certificate, as verifiers pin it.
    package var certificatePEM: String {
        get throws { try certificate.serializeAsPEM().pemString + "\n" }
    }
}
