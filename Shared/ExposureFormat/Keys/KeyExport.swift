package import ExposureKeys

/// One published key file before it is signed.
///
/// Its bytes are a pure function of header, signers and keys; the order in which the keys are given has no part in it,
/// so a file can't tell which keys came together.
package struct KeyExport: Hashable, Sendable {
    /// Window, region and batch.
    package let header: ExportHeader
    /// In the published order. None is fine: a window without enough keys gets an empty, signed file.
    package let keys: [ExportedKey]

    /// The keys may come in any order. Nothing is left out: which keys may be published is decided before.
    package init(header: ExportHeader, keys: some Sequence<DiagnosisKey>) {
        self.header = header
        self.keys =
            keys.map { key in
                let exported = ExportedKey(key)
                return (order: ExportOrder(exported), key: exported)
            }
            .sorted { $0.order < $1.order }
            .map(\.key)
    }

    /// `export.bin`: the header of 16 bytes, then a `TemporaryExposureKeyExport` that names the signers.
    package func encoded(signers: [SigningIdentity]) throws -> [UInt8] {
        ExportFileHeader.bytes + (try WireKeyExport.encode(header: header, signers: signers, keys: keys))
    }

    /// The file as it is published.
    /// - Parameter signingKeys: at least one, the newest first.
    package func signed(with signingKeys: [SigningKey]) throws -> SignedArchive {
        try SignedArchive(
            signing: try encoded(signers: signingKeys.map(\.identity)), with: signingKeys, batch: header.batch)
    }
}

/// The 16 bytes of ASCII before the message in a key file. Other archives have none.
enum ExportFileHeader {
    static let bytes = Array("EK Export v1    ".utf8)
}
