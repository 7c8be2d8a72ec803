import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

/// The authority at the top of simulated certificates, Apple's and SafetyNet's, with its private key.
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

    private init(certificate: Certificate, key: Certificate.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Makes a new root, on P-256.
    package static func make(validity: Range<Date>) throws -> EvidenceRoot {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName {
            OrganizationName("Vigil development")
            CommonName("Simulated evidence root")
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: key)
        return EvidenceRoot(certificate: certificate, key: key)
    }

    /// The certificate, as verifiers pin it.
    package var certificatePEM: String {
        get throws { try certificate.serializeAsPEM().pemString + "\n" }
    }

    /// The private key (PKCS #8).
    package var privateKeyPEM: String {
        get throws { try key.serializeAsPEM().pemString + "\n" }
    }
}
