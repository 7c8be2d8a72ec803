import Crypto
package import FederationFormat
package import FoundationEssentials

/// The gateway's operator: the trust anchor with its private key, which the real gateway keeps offline.
package struct FederationAnchor: Sendable {
    /// As clients pin it.
    package let anchor: TrustAnchor
    private let key: BatchSigningKey

    /// The key and the certificate don't belong together, or aren't accepted as a trust anchor.
    package struct Mismatch: Error {}

    /// Reads an anchor, P-256 or RSA with at least 2048 bits, which signs with SHA-256.
    /// - Throws: ``Mismatch``, also for what can't be read.
    package init(certificatePEM: String, privateKeyPEM: String) throws(Mismatch) {
        guard let certificate = try? FederationCertificate(pem: certificatePEM),
            let anchor = try? TrustAnchor(certificate, smallestRSA: 2048),
            let key = try? BatchSigningKey(pem: privateKeyPEM, certificate: certificate)
        else { throw Mismatch() }
        self.anchor = anchor
        self.key = key
        let probe = certificate.pem
        guard let signature = try? sign(probe), anchor.signed(probe, signature: signature) else { throw Mismatch() }
    }

    /// Makes a new anchor.
    package static func make(
        _ kind: FederationIdentity.KeyKind = .p256, validity: Range<Date>
    ) throws -> FederationAnchor {
        let made = try FederationIdentity.make(
            .anchor, kind, country: nil, name: "Simulated trust anchor", validity: validity)
        return try FederationAnchor(certificatePEM: made.certificate.pem, privateKeyPEM: made.privateKeyPEM)
    }

    /// The operator's signature of a certificate, in Base64: over its PEM with line ends of one character, the last one included
    /// (efgs-federation-gateway, `CertificateService`).
    package func sign(_ pem: String) throws -> String {
        Data(try key.sign(SHA256.hash(data: Data(pem.utf8)))).base64EncodedString()
    }
}
