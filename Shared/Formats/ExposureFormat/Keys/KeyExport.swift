package import Crypto
import ExposureKeys

/// A key file to be published: its digest for signing, and its archive.
///
/// Its bytes depend only on header, signers and keys, not on the order in which the keys are given. So a file can't reveal
/// which keys were uploaded together.
package struct KeyExport: Sendable {
    /// The signers that the file names, the newest first.
    package let signers: [SigningIdentity]
    /// The signed digest: SHA-256 over all bytes of `export.bin`.
    package let digest: SHA256.Digest
    private let batch: Batch
    /// Everything before the keys: the header of 16 bytes, and the message's first fields.
    private let head: [UInt8]
    private let records: CompressedRecords

    /// The files of one set of keys with several headers.
    ///
    /// The files differ in a few bytes before the keys, so one pass over the keys does the expensive work for all.
    /// - Parameter signers: at least one, the newest first.
    package static func files(
        of keys: KeySet, headers: [ExportHeader], signers: [SigningIdentity]
    ) throws -> [KeyExport] {
        let heads = try headers.map { header in
            ExportFileHeader.bytes + (try WireKeyExport.encodeHead(header: header, signers: signers))
        }
        var hashes = heads.map { head in
            var hash = SHA256()
            hash.update(data: head)
            return hash
        }
        let records = CompressedRecords(of: keys) { piece in
            for index in hashes.indices { hashes[index].update(bufferPointer: piece) }
        }
        return headers.indices.map { index in
            KeyExport(
                signers: signers, digest: hashes[index].finalize(), batch: headers[index].batch, head: heads[index],
                records: records)
        }
    }

    /// Decompresses the keys with zlib, as phones do, and compares size and checksum.
    ///
    /// Files of one set share the compressed keys, so one call covers all.
    /// - Throws: ``ZipWriterError/notReadable`` after an error of this encoder or of the memory.
    package func readBack() throws(ZipWriterError) {
        guard let (size, checksum) = Deflate.contentFacts(of: records.bytes), size == records.size,
            checksum == records.checksum
        else { throw .notReadable }
    }

    /// The archive; the same bytes for the same content.
    /// - Parameter signatures: of the signers over `digest`, DER, in their order.
    package func archive(signatures: [[UInt8]]) throws -> [UInt8] {
        let list = zip(signers, signatures).map { ArchiveSignature(identity: $0, batch: batch, bytes: $1) }
        var zip = ZipWriter()
        try zip.add(name: ArchiveEntry.export.staticName, joining: head, with: records)
        try zip.add(name: ArchiveEntry.signature.staticName, content: WireSignatureList.encode(list), method: .stored)
        return try zip.finish()
    }
}

/// The 16 bytes of ASCII before the message in a key file. Other archives have none.
enum ExportFileHeader {
    static let bytes = Array("EK Export v1    ".utf8)
}
