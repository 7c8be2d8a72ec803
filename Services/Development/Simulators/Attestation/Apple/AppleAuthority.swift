package import AppAttest
import Crypto
package import FoundationEssentials
import SwiftASN1
package import X509

/// Apple's part in App Attest, with roots of its own: it attests whatever key it is shown.
///
/// The certificates are as Apple's: a root and an intermediate one on P-384, and a leaf on P-256 for each attestation. Only a root that is
/// given is on P-256.
package struct AppleAuthority: Sendable {
    /// What verifiers pin instead of Apple's root.
    package let rootPEM: String
    /// The root's certificate in DER, and the intermediate one.
    package let certificates: (root: [UInt8], intermediate: [UInt8])
    private let key: P384.Signing.PrivateKey
    private let name: DistinguishedName

    /// Seconds: from a day before it was made until ten years later.
    private static let validity: (before: TimeInterval, after: TimeInterval) = (86_400, 10 * 31_536_000)

    /// Makes the keys.
    package init(at now: Date) throws {
        try self.init(
            validity: now.addingTimeInterval(-Self.validity.before)...now.addingTimeInterval(Self.validity.after))
    }

    /// Makes an intermediate key below a root that outlives the process.
    package init(below root: EvidenceRoot, at now: Date) throws {
        key = P384.Signing.PrivateKey()
        name = try DistinguishedName { CommonName("Simulated App Attestation CA 1") }
        let validity = now.addingTimeInterval(-Self.validity.before)...now.addingTimeInterval(Self.validity.after)
        let intermediate = try Self.authority(
            name, key.publicKey, by: root.certificate.subject, root.key, validity: validity,
            .isCertificateAuthority(maxPathLength: 0), KeyUsage(keyCertSign: true, cRLSign: true), .ecdsaWithSHA256)
        rootPEM = try root.certificatePEM
        certificates = (try root.certificate.serializeAsPEM().derBytes, try intermediate.serializeAsPEM().derBytes)
    }

    /// Makes the keys. What differs from Apple's authority is for tests.
    /// - Parameters:
    ///   - validity: of the root.
    ///   - intermediateValidity: of the intermediate certificate; the root's if nil.
    ///   - rootPathLength: how many authorities the root allows below it; nil for any number.
    ///   - constraints: of the intermediate certificate.
    ///   - usage: of the intermediate certificate's key.
    package init(
        validity: ClosedRange<Date>, intermediateValidity: ClosedRange<Date>? = nil, rootPathLength: Int? = nil,
        constraints: BasicConstraints = .isCertificateAuthority(maxPathLength: 0),
        usage: KeyUsage = KeyUsage(keyCertSign: true, cRLSign: true)
    ) throws {
        let rootKey = P384.Signing.PrivateKey()
        let signer = Certificate.PrivateKey(rootKey)
        key = P384.Signing.PrivateKey()
        let rootName = try DistinguishedName { CommonName("Simulated App Attestation Root CA") }
        name = try DistinguishedName { CommonName("Simulated App Attestation CA 1") }
        let root = try Self.authority(
            rootName, rootKey.publicKey, by: rootName, signer, validity: validity,
            .isCertificateAuthority(maxPathLength: rootPathLength), KeyUsage(keyCertSign: true, cRLSign: true))
        let intermediate = try Self.authority(
            name, key.publicKey, by: rootName, signer, validity: intermediateValidity ?? validity,
            constraints, usage)
        rootPEM = try root.serializeAsPEM().pemString
        certificates = (try root.serializeAsPEM().derBytes, try intermediate.serializeAsPEM().derBytes)
    }

    /// An attestation as an iPhone has it made: `DCAppAttestService.attestKey`.
    /// - Parameter now: the leaf is valid for three days, from a day before.
    package func attest(
        publicKey: AppAttestPublicKey, clientDataHash: [UInt8], app: AppID, environment: AppAttestEnvironment,
        at now: Date
    ) throws -> [UInt8] {
        try attest(
            AttestationTemplate(
                publicKey: publicKey, clientDataHash: clientDataHash, app: app, environment: environment, at: now)
        ).bytes
    }

    /// Whatever a template asks for.
    package func attest(_ template: AttestationTemplate) throws -> MintedAttestation {
        let data = template.authenticatorData.bytes
        return MintedAttestation(
            certificates: [
                try leaf(template.leaf, nonce: Array(SHA256.hash(data: data + template.clientDataHash))),
                certificates.intermediate,
            ], receipt: template.receipt, authenticatorData: data)
    }

    private static func authority(
        _ name: DistinguishedName, _ publicKey: P384.Signing.PublicKey, by issuer: DistinguishedName,
        _ issuerKey: Certificate.PrivateKey, validity: ClosedRange<Date>, _ constraints: BasicConstraints,
        _ usage: KeyUsage, _ algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA384
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(publicKey),
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: issuer, subject: name,
            signatureAlgorithm: algorithm,
            extensions: Certificate.Extensions {
                Critical(constraints)
                Critical(usage)
            }, issuerPrivateKey: issuerKey)
    }

    private func leaf(_ template: LeafTemplate, nonce: [UInt8]) throws -> [UInt8] {
        let statements = template.statements ?? [LeafTemplate.statement(of: nonce)]
        var extensions: [Certificate.Extension] = []
        if let isAuthority = template.isAuthority {
            let constraints: BasicConstraints =
                isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
            extensions.append(try Critical(constraints).makeCertificateExtension())
        }
        if let usage = template.keyUsage { extensions.append(try Critical(usage).makeCertificateExtension()) }
        for (number, statement) in statements.enumerated() {
            extensions.append(
                .init(oid: number == 0 ? .statement : .placeholder, critical: false, value: statement[...]))
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: template.key,
            notValidBefore: template.validity.lowerBound, notValidAfter: template.validity.upperBound, issuer: name,
            subject: try DistinguishedName {
                CommonName(nonce.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
            }, signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: .init(key))
        guard statements.count > 1 else { return try certificate.serializeAsPEM().derBytes }
        return try signed(renamingPlaceholders(in: Array(certificate.tbsCertificateBytes)))
    }

    /// The certificate library makes no certificate with an extension twice: one of them gets its name here.
    private func renamingPlaceholders(in content: [UInt8]) throws -> [UInt8] {
        let (wanted, placeholder) = (try ASN1ObjectIdentifier.statement.der, try ASN1ObjectIdentifier.placeholder.der)
        return Array(Data(content).replacing(placeholder, with: wanted))
    }

    private func signed(_ content: [UInt8]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            serializer.serializeRawBytes(content)
            try serializer.appendConstructedNode(identifier: .sequence) { serializer in
                try serializer.serialize(ASN1ObjectIdentifier.ecdsaWithSHA256)
            }
            let signature = try key.signature(for: SHA256.hash(data: content))
            try serializer.serialize(ASN1BitString(bytes: Array(signature.derRepresentation)[...]))
        }
        return serializer.serializedBytes
    }
}

extension ASN1ObjectIdentifier {
    /// Of Apple's extension with the hash of what was attested.
    fileprivate static let statement: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]
    /// As long as that.
    fileprivate static let placeholder: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 127]

    /// RFC 5758, section 3.2.
    fileprivate static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]

    fileprivate var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}
