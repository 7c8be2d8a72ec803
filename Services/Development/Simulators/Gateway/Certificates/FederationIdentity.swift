import Crypto
import CryptoExtras
package import FederationFormat
package import FoundationEssentials
import SwiftASN1
import X509

/// A certificate of a simulated federation, and its private key. It signs itself, as countries' certificates may.
package struct FederationIdentity: Sendable {
    /// What the private key is.
    package enum KeyKind: Sendable, CaseIterable {
        case p256
        case p384
        /// With 3072 bits, the least that the gateway's rules for countries allow.
        case rsa
    }

    /// What the certificate is for.
    package enum Purpose: Sendable {
        /// A client's, for TLS.
        case authentication
        /// For the signatures of batches.
        case signing
        /// The operator's, for the signatures of certificates.
        case anchor
    }

    /// The certificate.
    package let certificate: FederationCertificate
    /// The private key (PKCS #8 in PEM).
    package let privateKeyPEM: String

    /// Makes a key and its certificate.
    /// - Parameters:
    ///   - country: the first element of the subject; nil for none.
    ///   - name: the common name.
    package static func make(
        _ purpose: Purpose, _ kind: KeyKind = .p256, country: CountryCode?, name: String, validity: Range<Date>
    ) throws -> FederationIdentity {
        let key =
            switch kind {
            case .p256: Certificate.PrivateKey(P256.Signing.PrivateKey())
            case .p384: Certificate.PrivateKey(P384.Signing.PrivateKey())
            case .rsa: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits3072))
            }
        let subject = try DistinguishedName {
            if let country { CountryName(country.text) }
            OrganizationName("Vigil development")
            CommonName(name)
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: subject, subject: subject,
            signatureAlgorithm: kind == .rsa ? .sha256WithRSAEncryption : .ecdsaWithSHA256,
            extensions: try extensions(for: purpose, of: key), issuerPrivateKey: key)
        return FederationIdentity(
            certificate: try FederationCertificate(der: certificate.serializeAsPEM().derBytes),
            privateKeyPEM: try key.serializeAsPEM().pemString + "\n")
    }

    private static func extensions(
        for purpose: Purpose, of key: Certificate.PrivateKey
    ) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            if purpose == .authentication {
                // OpenSSL before 3.0 trusts no certificate that signs itself if its key usage is another one than for certificates.
                try ExtendedKeyUsage([.clientAuth])
            } else {
                Critical(KeyUsage(digitalSignature: true))
            }
            SubjectKeyIdentifier(hash: key.publicKey)
        }
    }

    /// The key as the signer of batches.
    package var signer: BatchSigningKey {
        get throws { try BatchSigningKey(pem: privateKeyPEM, certificate: certificate) }
    }
}
