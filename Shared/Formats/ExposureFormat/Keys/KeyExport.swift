package import Crypto
import ExposureKeys

/// One published key file: what is signed of it, and the archive around it.
///
/// Its bytes are a pure function of header, signers and keys; the order in which the keys are given has no part in it,
/// so a file can't tell which keys came together.
package struct KeyExport: Sendable {
    /// The signers that the file names, the newest first.
    package let signers: [SigningIdentity]
    /// What is signed: SHA-256 over all bytes of `export.bin`.
    package let digest: SHA256.Digest
    private let batch: Batch
    /// Everything before the keys: the header of 16 bytes, and the message's first fields.
    private let head: [UInt8]
    private let records: CompressedRecords

    /// The files of one set of keys for several headers, which differ in a few bytes before the keys: what is expensive is done
    /// once, in one pass over the keys.
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

    /// Reads the compressed keys back by zlib, as phones do. Files of one set have them in common: once is enough for all.
    /// - Throws: ``ZipWriterError/notReadable``, after a fault of this encoder or of the memory.
    package func readBack() throws(ZipWriterError) {
        guard let (size, checksum) = Deflate.contentFacts(of: records.bytes), size == records.size,
            checksum == records.checksum
        else { throw .notReadable }
    }

    /// The file as it is published; the same bytes for the same content.
    /// - Parameter signatures: of the signers over ``digest``, DER, in their order.
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
