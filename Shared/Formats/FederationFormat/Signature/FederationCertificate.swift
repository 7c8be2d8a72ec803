import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

/// A certificate of the federation: for TLS, for the signing of batches, or the trust anchor.
package struct FederationCertificate: Hashable, Sendable {
    /// As it was issued.
    package let der: [UInt8]
    /// SHA-256 of the DER, in lower-case hexadecimal digits, by which the gateway names it.
    package let thumbprint: String
    /// The only country of its subject; nil if there is none, or more than one.
    package let country: CountryCode?
    /// From its first to its last second.
    package let validity: ClosedRange<Date>
    let certificate: Certificate
    /// The names by which a signature points to it.
    let issuer: [UInt8]
    let serialNumber: [UInt8]

    /// Bytes of the longest certificate that the gateway stores.
    package static let longest = 10_240

    /// Reads DER.
    package init(der: [UInt8]) throws(CertificateFlaw) {
        guard der.count <= Self.longest, let certificate = try? Certificate(derEncoded: der),
            let names = try? Self.names(in: der), certificate.notValidBefore <= certificate.notValidAfter
        else { throw .unreadable }
        self.der = der
        self.certificate = certificate
        (issuer, serialNumber) = names
        thumbprint = Hexadecimal.text(SHA256.hash(data: der))
        country = Self.country(of: certificate)
        validity = certificate.notValidBefore...certificate.notValidAfter
    }

    /// Reads PEM, in which exactly one document may stand.
    package init(pem: String) throws(CertificateFlaw) {
        guard pem.utf8.count <= 2 * Self.longest,
            let document = try? PEMDocument(pemString: pem),
            document.discriminator == Certificate.defaultPEMDiscriminator
        else { throw .unreadable }
        try self.init(der: document.derBytes)
    }

    /// The PEM text that the trust anchor's holder signs: line ends of one character, the last one included.
    package var pem: String {
        PEMDocument(type: Certificate.defaultPEMDiscriminator, derBytes: der).pemString + "\n"
    }

    /// The extension by which a signature may point to the certificate.
    var subjectKeyIdentifier: [UInt8]? {
        (try? certificate.extensions.subjectKeyIdentifier).map { Array($0.keyIdentifier) }
    }

    /// The hash function with which the certificate was signed; nil if it is none that is accepted, or with another
    /// kind of key.
    func hashAlgorithm(isRSA: Bool) -> HashAlgorithm? {
        switch certificate.signatureAlgorithm {
        case .sha256WithRSAEncryption where isRSA, .ecdsaWithSHA256 where !isRSA: .sha256
        case .sha384WithRSAEncryption where isRSA, .ecdsaWithSHA384 where !isRSA: .sha384
        case .sha512WithRSAEncryption where isRSA, .ecdsaWithSHA512 where !isRSA: .sha512
        default: nil
        }
    }

    /// Two certificates are the same if their bytes are.
    package static func == (left: FederationCertificate, right: FederationCertificate) -> Bool { left.der == right.der }
    /// By the bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }

    private static func country(of certificate: Certificate) -> CountryCode? {
        let countries = certificate.subject.flatMap { name in
            name.filter { $0.type == .RDNAttributeType.countryName }
        }
        guard countries.count == 1 else { return nil }
        return String(countries[0].value).flatMap { CountryCode($0) }
    }

    /// Issuer and serial number, byte by byte as the certificate has them.
    private static func names(in der: [UInt8]) throws -> (issuer: [UInt8], serialNumber: [UInt8]) {
        try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            guard let body = nodes.next(), nodes.next() != nil, nodes.next() != nil else {
                throw CertificateFlaw.unreadable
            }
            return try DER.sequence(body, identifier: .sequence) { nodes in
                _ = DER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { _ in }
                guard let serialNumber = nodes.next(), nodes.next() != nil, let issuer = nodes.next() else {
                    throw CertificateFlaw.unreadable
                }
                // What follows has been read with the certificate.
                while nodes.next() != nil {}
                return (Array(issuer.encodedBytes), Array(serialNumber.encodedBytes))
            }
        }
    }
}

/// A certificate can't be used.
package enum CertificateFlaw: Error, Hashable, Sendable {
    /// It isn't one X.509 certificate in this form, or longer than the gateway stores.
    case unreadable
}
