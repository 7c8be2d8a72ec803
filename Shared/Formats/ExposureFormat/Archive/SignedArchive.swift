import Crypto

/// What phones download: a ZIP archive of exactly `export.bin` and its signatures, `export.sig`.
///
/// See https://developers.google.com/android/exposure-notifications/exposure-key-file-format
///
/// In key files, `export.bin` is a header and a message; in all other archives it is the message alone.
package struct SignedArchive: Hashable, Sendable {
    /// `export.bin`.
    package let export: [UInt8]
    /// At least one, the newest key's first.
    package let signatures: [ArchiveSignature]

    /// Assembles an archive from signatures that already exist.
    /// - Throws: ``ArchiveDamage/noSignatures``. Whether they match isn't checked here.
    package init(export: [UInt8], signatures: [ArchiveSignature]) throws(ArchiveDamage) {
        guard !signatures.isEmpty else { throw .noSignatures }
        self.export = export
        self.signatures = signatures
    }

    /// Signs with every key, so that a key can be replaced while phones still know only the old one.
    package init(signing export: [UInt8], with keys: [SigningKey], batch: Batch = .only) throws {
        try self.init(export: export, signatures: try keys.map { try $0.sign(export, batch: batch) })
    }

    /// The archive as it is published; the same bytes for the same content.
    package func zipped() throws -> [UInt8] {
        var zip = ZipWriter()
        try zip.add(name: ArchiveEntry.export.staticName, content: export, method: .deflated)
        try zip.add(
            name: ArchiveEntry.signature.staticName, content: WireSignatureList.encode(signatures), method: .stored)
        return try zip.finish()
    }

    /// Opens a published archive. Signatures are read, not checked.
    package static func read(
        _ archive: [UInt8], limits: ArchiveLimits = ArchiveLimits()
    ) throws(ArchiveDamage) -> SignedArchive {
        let (export, list) = try ZipReader(limits: limits).read(archive)
        return try SignedArchive(export: export, signatures: WireSignatureList.decode(list))
    }

    /// A verdict for each signature, in their order.
    package func verify(_ publicKeys: [VerificationKey]) -> [SignatureVerdict] {
        signatures.map { SignatureVerdict(identity: $0.identity, outcome: outcome(of: $0, publicKeys)) }
    }

    /// Refuses the archive unless one of the keys signed it.
    /// - Throws: ``ArchiveDamage/signatureDoesNotMatch``.
    package func requireSignature(of publicKeys: [VerificationKey]) throws(ArchiveDamage) {
        guard verify(publicKeys).contains(where: { $0.outcome == .matches }) else { throw .signatureDoesNotMatch }
    }

    private func outcome(
        of signature: ArchiveSignature, _ publicKeys: [VerificationKey]
    ) -> SignatureVerdict.Outcome {
        guard signature.identity.algorithm == SigningIdentity.ecdsaWithSHA256 else { return .otherAlgorithm }
        guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature.bytes) else {
            return .malformed
        }
        return publicKeys.contains { $0.verifies(parsed, over: export) } ? .matches : .doesNotMatch
    }
}
