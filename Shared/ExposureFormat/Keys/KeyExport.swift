package import Crypto

/// One published key file: its `export.bin`, and the archive around it.
///
/// Its bytes are a pure function of header, signers and keys; the order in which the keys are given has no part in it,
/// so a file can't tell which keys came together.
package struct KeyExport: Sendable {
    /// The signers that the file names, the newest first.
    package let signers: [SigningIdentity]
    /// Everything before the keys: the header of 16 bytes, and the message's first fields.
    private let head: [UInt8]
    private let keys: KeySet
    private let batch: Batch

    /// A file of a set of keys.
    /// - Parameter signers: at least one, the newest first.
    package init(header: ExportHeader, signers: [SigningIdentity], keys: KeySet) throws {
        self.signers = signers
        self.keys = keys
        batch = header.batch
        head = ExportFileHeader.bytes + (try WireKeyExport.encodeHead(header: header, signers: signers))
    }

    /// `export.bin`: the header of 16 bytes, then a `TemporaryExposureKeyExport` that names the signers.
    package var encoded: [UInt8] { head + keys.records }

    /// What is signed: SHA-256 over all bytes of `export.bin`.
    package var digest: SHA256.Digest {
        var hash = SHA256()
        hash.update(data: head)
        hash.update(data: keys.records)
        return hash.finalize()
    }

    /// The file as it is published; the same bytes for the same content.
    /// - Parameter signatures: of the signers over ``digest``, DER, in their order.
    package func archive(signatures: [[UInt8]]) throws -> [UInt8] {
        let list = zip(signers, signatures).map { ArchiveSignature(identity: $0, batch: batch, bytes: $1) }
        var zip = ZipWriter()
        try zip.add(name: ArchiveEntry.export.staticName, joining: head, with: keys)
        try zip.add(name: ArchiveEntry.signature.staticName, content: WireSignatureList.encode(list), method: .stored)
        return try zip.finish()
    }
}

/// The 16 bytes of ASCII before the message in a key file. Other archives have none.
enum ExportFileHeader {
    static let bytes = Array("EK Export v1    ".utf8)
}
