import CompactJOSE
import Crypto
import CryptoExtras
package import FoundationEssentials
import SwiftASN1
import X509

/// Google's part in SafetyNet: it makes statements, with RS256 by a certificate for `attest.android.com`.
package struct SafetyNetMint: Sendable {
    /// The certificates that come with each statement, in Base64: the signer's, and the one between it and the root.
    package let certificates: [String]
    private let key: _RSA.Signing.PrivateKey

    private struct Header: Encodable {
        let alg: String
        let x5c: [String]
    }

    /// Makes the keys and certificates below a root.
    /// - Parameters:
    ///   - host: of the signer's certificate.
    ///   - validity: of both certificates.
    package init(root: EvidenceRoot, host: String = "attest.android.com", validity: Range<Date>) throws {
        let middleKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let middle = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: middleKey.publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: root.certificate.subject,
            subject: DistinguishedName {
                OrganizationName("Vigil development")
                CommonName("Simulated SafetyNet authority")
            }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: root.key)
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound, issuer: middle.subject,
            subject: DistinguishedName { CommonName(host) }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true, keyEncipherment: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(host)])
            }, issuerPrivateKey: middleKey)
        certificates = try [leaf, middle].map { Data(try $0.serializeAsPEM().derBytes).base64EncodedString() }
    }

    /// A statement as Google made it.
    package func token(_ statement: SimulatedStatement) throws -> String { try token(payload: statement.json) }

    /// A statement of other bytes, or with another header. It is always signed with RS256, whatever the header says.
    /// - Parameters:
    ///   - algorithm: `alg`.
    ///   - certificates: `x5c`; the mint's own if nil.
    package func token(
        payload: [UInt8], algorithm: String = "RS256", certificates: [String]? = nil
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = try encoder.encode(Header(alg: algorithm, x5c: certificates ?? self.certificates))
        return try CompactJWS.text(header: header, payload: payload) {
            try key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}
