package import FoundationEssentials
package import SwiftASN1

/// A certificate (RFC 5280, section 4.1) as it was read, whose signature nobody has checked.
package struct Certificate: Sendable {
    /// What the certificate may have.
    package enum Version: Int, Hashable, Sendable {
        case v1 = 0
        case v2 = 1
        case v3 = 2
    }

    /// A number that its issuer gives once.
    package struct SerialNumber: Hashable, Sendable {
        fileprivate let number: ASN1Integer

        /// 159 random bits, which no one foresees (RFC 5280, section 4.1.2.2, allows 20 bytes).
        package init() {
            var generator = SystemRandomNumberGenerator()
            let bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // The highest bit is the sign, and the next one makes all of them equally long.
            number = ASN1Integer(magnitude: [bytes[0] & 0x7F | 0x40] + bytes.dropFirst())
        }

        fileprivate init(_ number: ASN1Integer) { self.number = number }

        /// The number in hexadecimal digits, as `openssl x509 -serial` prints it; with a hyphen in front of a negative one's bytes.
        package var hexadecimal: String {
            let digits = (number.magnitude ?? number.bytes).map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true)
            }.joined()
            return number.magnitude == nil ? "-\(digits)" : digits
        }
    }

    /// The version.
    package let version: Version
    /// The issuer's number of it.
    package let serialNumber: SerialNumber
    /// How it was signed.
    package let signatureAlgorithm: SignatureAlgorithm
    /// Who signed it.
    package let issuer: DistinguishedName
    /// The first second.
    package let notValidBefore: Date
    /// The last second.
    package let notValidAfter: Date
    /// Whose it is.
    package let subject: DistinguishedName
    /// The subject's key.
    package let publicKey: PublicKey
    /// Empty for versions 1 and 2.
    package let extensions: Extensions
    /// The issuer's signature.
    package let signature: Signature
    /// What the signature is over.
    package let tbsCertificateBytes: ArraySlice<UInt8>
    private let bytes: ArraySlice<UInt8>

    /// What stands in the first and the last line of PEM.
    package static let defaultPEMDiscriminator = "CERTIFICATE"

    /// Reads PEM with exactly one document.
    /// - Throws: ``SwiftASN1/ASN1Error`` or ``CertificateError``.
    package init(pemEncoded text: String) throws { try self.init(pemDocument: PEMDocument(pemString: text)) }

    /// Reads a document.
    /// - Throws: ``SwiftASN1/ASN1Error`` or ``CertificateError``.
    package init(pemDocument document: PEMDocument) throws {
        guard document.discriminator == Self.defaultPEMDiscriminator else { throw CertificateError.otherDocument }
        try self.init(derEncoded: document.derBytes)
    }

    /// Makes a certificate and signs it.
    /// - Parameters:
    ///   - notValidBefore: the first second; parts of a second don't count.
    ///   - notValidAfter: the last second.
    /// - Throws: ``SwiftASN1/ASN1Error`` or ``CertificateError`` for what has no encoding, or if the key can't sign with
    ///   the algorithm.
    package init(
        version: Version, serialNumber: SerialNumber, publicKey: PublicKey, notValidBefore: Date, notValidAfter: Date,
        issuer: DistinguishedName, subject: DistinguishedName, signatureAlgorithm: SignatureAlgorithm,
        extensions: Extensions, issuerPrivateKey: PrivateKey
    ) throws {
        let validity = (try CertificateTime(notValidBefore), try CertificateTime(notValidAfter))
        var body = DER.Serializer()
        body.appendConstructedNode(identifier: .sequence) { coder in
            if version != .v1 {
                coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                    version.rawValue.serialize(into: &$0)
                }
            }
            serialNumber.number.serialize(into: &coder)
            signatureAlgorithm.identifier.serialize(into: &coder)
            issuer.serialize(into: &coder)
            coder.appendConstructedNode(identifier: .sequence) { coder in
                validity.0.serialize(into: &coder)
                validity.1.serialize(into: &coder)
            }
            subject.serialize(into: &coder)
            publicKey.info.serialize(into: &coder)
            guard !extensions.isEmpty else { return }
            coder.serialize(explicitlyTaggedWithTagNumber: 3, tagClass: .contextSpecific) { coder in
                coder.appendConstructedNode(identifier: .sequence) { coder in
                    for one in extensions { one.serialize(into: &coder) }
                }
            }
        }
        let signature = try issuerPrivateKey.sign(body.serializedBytes, with: signatureAlgorithm)
        var whole = DER.Serializer()
        whole.appendConstructedNode(identifier: .sequence) { coder in
            coder.serializeRawBytes(body.serializedBytes)
            signatureAlgorithm.identifier.serialize(into: &coder)
            ASN1BitString(bytes: signature.bytes).serialize(into: &coder)
        }
        // What was made is what others read, so nothing leaves that this module itself would refuse.
        try self.init(derEncoded: whole.serializedBytes)
    }

    /// DER: the bytes that were read.
    package var derBytes: [UInt8] { Array(bytes) }

    /// PEM. Its bytes are those that were read.
    package func serializeAsPEM() throws -> PEMDocument {
        PEMDocument(type: Self.defaultPEMDiscriminator, derBytes: derBytes)
    }
}

extension Certificate: Hashable {
    /// Certificates are the same if their bytes are.
    package static func == (left: Certificate, right: Certificate) -> Bool { left.bytes == right.bytes }
    /// By the bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Certificate: DERParseable {
    package init(derEncoded node: ASN1Node) throws {
        bytes = node.encodedBytes
        let (body, algorithm, value) = try DER.sequence(node, identifier: .sequence) { nodes in
            guard let body = nodes.next() else { throw ASN1Error(.missingElement, "certificate") }
            return (
                body, try AlgorithmIdentifier(derEncoded: &nodes), try ASN1BitString(derEncoded: &nodes).wholeBytes
            )
        }
        tbsCertificateBytes = body.encodedBytes
        let fields = try CertificateFields(body)
        guard fields.algorithm == algorithm else { throw CertificateError.differingAlgorithms }
        version = fields.version
        serialNumber = SerialNumber(fields.serialNumber)
        signatureAlgorithm = SignatureAlgorithm(algorithm)
        issuer = fields.issuer
        (notValidBefore, notValidAfter) = fields.validity
        subject = fields.subject
        publicKey = fields.publicKey
        extensions = fields.extensions
        signature = Signature(bytes: value)
        if case .ecdsa = signatureAlgorithm.kind { _ = try ECDSASignatureFields(derEncoded: value) }
    }
}

/// A TBSCertificate (RFC 5280, section 4.1).
private struct CertificateFields {
    let version: Certificate.Version
    let serialNumber: ASN1Integer
    let algorithm: AlgorithmIdentifier
    let issuer: DistinguishedName
    let validity: (Date, Date)
    let subject: DistinguishedName
    let publicKey: Certificate.PublicKey
    let extensions: Certificate.Extensions

    init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { try CertificateFields(&$0) }
    }

    private init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        let number = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
            try Int(derEncoded: $0)
        }
        // Version 1 is the default, which isn't written.
        guard number != 0, let version = Certificate.Version(rawValue: number ?? 0) else {
            throw CertificateError.version
        }
        self.version = version
        serialNumber = try ASN1Integer(derEncoded: &nodes)
        algorithm = try AlgorithmIdentifier(derEncoded: &nodes)
        issuer = try DistinguishedName(derEncoded: &nodes)
        validity = try DER.sequence(&nodes, identifier: .sequence) { nodes in
            (try CertificateTime(derEncoded: &nodes).date, try CertificateTime(derEncoded: &nodes).date)
        }
        subject = try DistinguishedName(derEncoded: &nodes)
        publicKey = try Certificate.PublicKey(SubjectPublicKeyInfo(derEncoded: &nodes))
        // Unique identifiers of issuer and subject, which nobody uses.
        for tag in [1, 2] as [UInt] {
            let bits = try DER.optionalImplicitlyTagged(&nodes, tagNumber: tag, tagClass: .contextSpecific) {
                try ASN1BitString(derEncoded: $0, withIdentifier: .context(tag))
            }
            guard bits == nil || version != .v1 else { throw CertificateError.version }
        }
        let extensions = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 3, tagClass: .contextSpecific) {
            try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: $0)
        }
        guard extensions == nil || version == .v3 else { throw CertificateError.version }
        self.extensions = try Certificate.Extensions(extensions ?? [])
    }
}
