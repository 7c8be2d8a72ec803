import Crypto
package import FoundationEssentials
package import HTTPContract
import Running
import SwiftASN1
package import X509

/// The suite's own certificate authority: an ECDSA P-256 key that signs the certificates of our services and callers.
///
/// `vigil certificates` and the tests use it. It is for the inner listeners; a public authority certifies the servers that apps
/// connect to.
package struct CertificateAuthority: Sendable {
    /// The authority's certificate.
    package let certificatePEM: String
    /// The holder of this key can impersonate any service.
    package let privateKeyPEM: String
    private let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// A certificate with its key, both PEM.
    package struct Identity: Sendable {
        /// The certificate without the authority's.
        package let certificatePEM: String
        /// The holder of this key can impersonate the names in the certificate. The authority keeps no copy.
        package let privateKeyPEM: String
    }

    /// A certificate can't be issued.
    package struct IssueProblem: OperatorProblem {
        package let description: String
    }

    /// Creates a new authority.
    ///
    /// - Parameter validity: from its first to its last moment.
    package static func create(name: String, validity: Range<Date>) throws -> CertificateAuthority {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                // No intermediate authority below this one.
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
            }, issuerPrivateKey: key)
        return try CertificateAuthority(certificate: certificate, key: key)
    }

    /// Reads an existing authority.
    package init(certificatePEM: String, privateKeyPEM: String) throws {
        let certificate: Certificate
        let key: Certificate.PrivateKey
        do {
            certificate = try Certificate(pemEncoded: certificatePEM)
            key = try Certificate.PrivateKey(pemEncoded: privateKeyPEM)
        } catch {
            throw IssueProblem(description: "The authority's certificate or key is not valid PEM.")
        }
        guard certificate.publicKey == key.publicKey else {
            throw IssueProblem(description: "The authority's certificate and key don't belong together.")
        }
        try self.init(certificate: certificate, key: key)
    }

    private init(certificate: Certificate, key: Certificate.PrivateKey) throws {
        self.certificate = certificate
        self.key = key
        certificatePEM = try certificate.serializeAsPEM().pemString + "\n"
        privateKeyPEM = try key.serializeAsPEM().pemString + "\n"
    }

    /// Makes a key, and a certificate for a server, a client, or a service that is both.
    ///
    /// - Parameters:
    ///   - role: written as a URI, `vigil:role:<role>`; nil for a server that calls no other.
    ///   - ipAddresses: in the usual notation, `127.0.0.1` or `::1`.
    package func issueLeaf(
        commonName: String, role: Role?, dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1"],
        validity: Range<Date>
    ) throws -> Identity {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        return Identity(
            certificatePEM: try issueLeaf(
                for: key.publicKey, commonName: commonName, role: role, dnsNames: dnsNames, ipAddresses: ipAddresses,
                validity: validity),
            privateKeyPEM: try key.serializeAsPEM().pemString + "\n")
    }

    /// Makes a certificate for a key whose private half somebody else holds.
    ///
    /// - Returns: PEM.
    package func issueLeaf(
        for publicKey: Certificate.PublicKey, commonName: String, role: Role?, dnsNames: [String] = [],
        ipAddresses: [String] = [], validity: Range<Date>
    ) throws -> String {
        var names = dnsNames.map { GeneralName.dnsName($0) }
        for address in ipAddresses {
            names.append(.ipAddress(ASN1OctetString(contentBytes: try Self.bytes(of: address)[...])))
        }
        if let role { names.append(.uniformResourceIdentifier(role.certificateURI)) }
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: min(validity.upperBound, certificate.notValidAfter),
            issuer: certificate.subject, subject: try DistinguishedName { CommonName(commonName) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth, .clientAuth])
                SubjectAlternativeNames(names)
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
            }, issuerPrivateKey: key)
        return try leaf.serializeAsPEM().pemString + "\n"
    }

    private static func bytes(of address: String) throws -> [UInt8] {
        guard let bytes = IPAddress.bytes(address) else {
            throw IssueProblem(description: "\(address) is not an IP address.")
        }
        return bytes
    }
}
