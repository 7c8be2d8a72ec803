import Crypto
import FoundationEssentials
import SwiftASN1

/// The signature of a batch: a SignedData of CMS (RFC 5652), detached, with the signer's certificate beside it.
///
/// Other countries' may have the content attached, which the gateway takes, too.
/// What it covers is ``KeyRecords/signedBytes``.
package struct BatchSignature: Hashable, Sendable {
    /// In BER; what this module makes is DER.
    package let bytes: [UInt8]
    private let content: SignedData

    /// The gateway stores no more than 8,000 characters of Base64.
    package static let longest = 6000

    /// Reads a signature, without verifying it.
    package init(_ bytes: [UInt8]) throws(SignatureFlaw) {
        guard bytes.count <= Self.longest else { throw .unreadable }
        self.bytes = bytes
        content = try SignedData(bytes)
    }

    /// Reads the header field `batchSignature`, or the same in an audit.
    package init(field: String) throws(SignatureFlaw) {
        guard field.utf8.count <= (Self.longest + 2) / 3 * 4, let bytes = Data(base64Encoded: field) else {
            throw .unreadable
        }
        try self.init(Array(bytes))
    }

    /// The header field `batchSignature`: Base64 with padding.
    package var field: String { Data(bytes).base64EncodedString() }

    /// The certificates beside the signature. They prove nothing: whoever made the signature chose them.
    package var certificates: [FederationCertificate] {
        content.certificates.compactMap { try? FederationCertificate(der: $0) }
    }

    // MARK: Verifying

    /// Throws unless the holder of a certificate signed these bytes.
    ///
    /// The certificate comes from the caller, who knows why to trust it, and has to be among those beside the
    /// signature, as the gateway demands. Its validity isn't checked, except that a time which the signer claims has to
    /// lie within it.
    ///
    /// See `BatchSignatureVerifier` of efgs-federation-gateway, which reads the same with BouncyCastle.
    /// - Parameter smallestRSA: bits of a key of RSA; at least 2048.
    package func verify(
        _ signed: [UInt8], by certificate: FederationCertificate, smallestRSA: Int? = nil
    ) throws(SignatureFlaw) {
        let signer = content.signer
        guard content.content.map({ $0 == signed }) ?? true else { throw .attached }
        guard isSigner(certificate), content.certificates.contains(certificate.der) else { throw .otherSigner }
        let key = try VerifyingKey(of: certificate, smallestRSA: max(smallestRSA ?? VerifyingKey.usualRSA, 2048))
        let algorithm = try Self.algorithm(of: signer, for: key)
        guard let attributes = signer.attributes else {
            guard key.accepts(signer.signature, over: signed, by: algorithm) else { throw .mismatch }
            return
        }
        guard attributes.contentType == .data, let digest = attributes.messageDigest else { throw .attributes }
        guard digest == algorithm.digest(of: signed),
            key.accepts(signer.signature, over: attributes.signedBytes, by: algorithm)
        else { throw .mismatch }
        guard attributes.signingTime.map(certificate.validity.contains) ?? true else { throw .signingTime }
    }

    private func isSigner(_ certificate: FederationCertificate) -> Bool {
        switch content.signer.identifier {
        case .issuerAndSerialNumber(let issuer, let serialNumber):
            issuer == certificate.issuer && serialNumber == certificate.serialNumber
        case .subjectKey(let identifier):
            certificate.subjectKeyIdentifier == identifier
        }
    }

    /// The hash function, if the signer names it and the kind of the key without contradiction.
    private static func algorithm(
        of signer: SignedData.Signer, for key: VerifyingKey
    ) throws(SignatureFlaw) -> HashAlgorithm {
        guard let hash = HashAlgorithm.allCases.first(where: { $0.identifier == signer.digestAlgorithm }) else {
            throw .algorithm
        }
        let accepted =
            key.isRSA
            ? [ASN1ObjectIdentifier.AlgorithmIdentifier.rsaEncryption, hash.withRSA] : [hash.withECDSA]
        guard accepted.contains(signer.signatureAlgorithm) else { throw .algorithm }
        return hash
    }

    // MARK: Signing

    /// Signs bytes with SHA-256, and without signed attributes: with RSA, the same bytes always give the same
    /// signature.
    ///
    /// What the signer returns is verified, so that no batch leaves with a signature that isn't one.
    /// - Throws: what the signer throws; ``SignatureFlaw`` if key and certificate don't belong together, or aren't accepted.
    package static func make(over signed: [UInt8], by signer: some BatchSigner) async throws -> BatchSignature {
        let certificate = signer.certificate
        let key = try VerifyingKey(of: certificate)
        let value = try await signer.sign(SHA256.hash(data: signed))
        let made = try BatchSignature(encode(value, by: certificate, isRSA: key.isRSA))
        try made.verify(signed, by: certificate)
        return made
    }

    /// As OpenSSL's `cms -sign -binary -noattr -nosmimecap -md sha256` has it.
    private static func encode(
        _ value: [UInt8], by certificate: FederationCertificate, isRSA: Bool
    ) throws -> [UInt8] {
        var writer = DER.Serializer()
        try writer.appendConstructedNode(identifier: .sequence) { writer in
            try writer.serialize(ASN1ObjectIdentifier.signedData)
            try writer.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { writer in
                try writer.appendConstructedNode(identifier: .sequence) { writer in
                    try writer.serialize(1)
                    try writer.appendConstructedNode(identifier: .set) { try write(.sha256, to: &$0) }
                    try write(.data, to: &writer)
                    writer.appendConstructedNode(
                        identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
                    ) { $0.serializeRawBytes(certificate.der) }
                    try writer.appendConstructedNode(identifier: .set) { writer in
                        try write(value, by: certificate, isRSA: isRSA, to: &writer)
                    }
                }
            }
        }
        return writer.serializedBytes
    }

    private static func write(
        _ value: [UInt8], by certificate: FederationCertificate, isRSA: Bool, to writer: inout DER.Serializer
    ) throws {
        try writer.appendConstructedNode(identifier: .sequence) { writer in
            try writer.serialize(1)
            writer.appendConstructedNode(identifier: .sequence) { writer in
                writer.serializeRawBytes(certificate.issuer)
                writer.serializeRawBytes(certificate.serialNumber)
            }
            try write(.sha256, to: &writer)
            if isRSA {
                try write(ASN1ObjectIdentifier.AlgorithmIdentifier.rsaEncryption, hasNull: true, to: &writer)
            } else {
                try write(.ecdsaWithSHA256, to: &writer)
            }
            try writer.serialize(ASN1OctetString(contentBytes: value[...]))
        }
    }

    /// A sequence of an identifier, and of NULL where RFC 3370 asks for it.
    private static func write(
        _ identifier: ASN1ObjectIdentifier, hasNull: Bool = false, to writer: inout DER.Serializer
    ) throws {
        try writer.appendConstructedNode(identifier: .sequence) { writer in
            try writer.serialize(identifier)
            if hasNull { try writer.serialize(ASN1Null()) }
        }
    }
}

extension HashAlgorithm {
    fileprivate var identifier: ASN1ObjectIdentifier {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    fileprivate var withRSA: ASN1ObjectIdentifier {
        switch self {
        case .sha256: .AlgorithmIdentifier.sha256WithRSAEncryption
        case .sha384: .AlgorithmIdentifier.sha384WithRSAEncryption
        case .sha512: .AlgorithmIdentifier.sha512WithRSAEncryption
        }
    }

    fileprivate var withECDSA: ASN1ObjectIdentifier {
        switch self {
        case .sha256: .ecdsaWithSHA256
        case .sha384: .ecdsaWithSHA384
        case .sha512: .ecdsaWithSHA512
        }
    }
}
