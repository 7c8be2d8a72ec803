/// Why an archive can't be written.
package enum ZipWriterError: Error, Equatable, CustomStringConvertible {
    /// An entry or the archive would have 4 GiB or more, which requires ZIP64, and phones don't support that.
    case tooLarge
    /// zlib failed, in practice because memory ran out.
    case compressionFailed
    /// The compressed content doesn't decompress to the original.
    case notReadable

    /// A plain sentence without any content of the archive.
    package var description: String {
        switch self {
        case .tooLarge: "The archive would be 4 GiB or larger."
        case .compressionFailed: "zlib could not compress the entry."
        case .notReadable: "The compressed content does not decompress to the original. The memory may be faulty."
        }
    }
}

/// Writes ZIP archives whose bytes depend only on their content: every entry is dated 1980-01-01 00:00:00, and there are no
/// extra fields, comments, permissions or data descriptors.
struct ZipWriter {
    /// How an entry is stored.
    enum Method {
        /// Uncompressed; for content that doesn't compress, such as signatures.
        case stored
        case deflated
    }

    /// 1980-01-01 in MS-DOS format: years since 1980 in bits 9 and up, then month and day.
    private static let date: UInt16 = 1 << 5 | 1
    /// 2.0, the first version with DEFLATE.
    private static let version: UInt16 = 20

    private var bytes: [UInt8] = []
    private var directory: [UInt8] = []
    private var count: UInt16 = 0

    /// Appends an entry.
    mutating func add(name: StaticString, content: [UInt8], method: Method) throws(ZipWriterError) {
        switch method {
        case .stored:
            try add(name, [content], method: Zip.storedMethod, size: content.count, Deflate.checksum(content))
        case .deflated:
            let data = try Deflate.compress(content)
            try add(name, [data], method: Zip.deflatedMethod, size: content.count, Deflate.checksum(content))
        }
    }

    /// Appends an entry of two parts, the second already compressed.
    /// - Parameter head: fewer than 64 KiB.
    mutating func add(name: StaticString, joining head: [UInt8], with records: CompressedRecords) throws(ZipWriterError)
    {
        let checksum = Deflate.joined(Deflate.checksum(head), records.checksum, secondCount: records.size)
        try add(
            name, [try Deflate.storedBlock(head), records.bytes], method: Zip.deflatedMethod,
            size: head.count + records.size, checksum)
    }

    private mutating func add(
        _ name: StaticString, _ pieces: [[UInt8]], method: UInt16, size: Int, _ checksum: UInt32
    ) throws(ZipWriterError) {
        let nameBytes = name.withUTF8Buffer { Array($0) }
        let storedCount = pieces.map(\.count).reduce(0, +)
        guard let size = UInt32(exactly: size), let stored = UInt32(exactly: storedCount),
            let offset = UInt32(exactly: bytes.count), let nameLength = UInt16(exactly: nameBytes.count),
            count < UInt16.max
        else { throw .tooLarge }

        var facts: [UInt8] = []
        facts.append(littleEndian: Self.version)
        facts.append(littleEndian: UInt16(0))  // flags
        facts.append(littleEndian: method)
        facts.append(littleEndian: UInt16(0))  // time of day
        facts.append(littleEndian: Self.date)
        facts.append(littleEndian: checksum)
        facts.append(littleEndian: stored)
        facts.append(littleEndian: size)
        facts.append(littleEndian: nameLength)
        facts.append(littleEndian: UInt16(0))  // length of extra fields

        bytes.reserveCapacity(bytes.count + storedCount + 256)
        bytes.append(littleEndian: Zip.localHeaderSignature)
        bytes += facts
        bytes += nameBytes
        for piece in pieces { bytes += piece }

        directory.append(littleEndian: Zip.centralHeaderSignature)
        directory.append(littleEndian: Self.version)  // made by, on MS-DOS: attributes mean nothing
        directory += facts
        directory.append(littleEndian: UInt16(0))  // length of comment
        directory.append(littleEndian: UInt16(0))  // disk
        directory.append(littleEndian: UInt16(0))  // internal attributes
        directory.append(littleEndian: UInt32(0))  // external attributes
        directory.append(littleEndian: offset)
        directory += nameBytes
        count += 1
    }

    /// The archive.
    consuming func finish() throws(ZipWriterError) -> [UInt8] {
        guard let offset = UInt32(exactly: bytes.count), let length = UInt32(exactly: directory.count) else {
            throw .tooLarge
        }
        bytes += directory
        bytes.append(littleEndian: Zip.endSignature)
        bytes.append(littleEndian: UInt16(0))  // this disk
        bytes.append(littleEndian: UInt16(0))  // disk of the directory
        bytes.append(littleEndian: count)  // entries on this disk
        bytes.append(littleEndian: count)
        bytes.append(littleEndian: length)
        bytes.append(littleEndian: offset)
        bytes.append(littleEndian: UInt16(0))  // length of comment
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
