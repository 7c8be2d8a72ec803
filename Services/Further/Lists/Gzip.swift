import CZlib
import Dispatch
import Synchronization

/// gzip (RFC 1952), by zlib at its fastest level.
///
/// Pieces of the content are compressed side by side. Each is a part of one stream that ends at a whole byte and refers to nothing before
/// it, so the parts only need to be put in a row. Every reader of gzip reads that; several streams in a row, browsers don't.
enum Gzip {
    private static let pieceLength = 1 << 20
    /// No name, no time: the same content has the same head. The last byte is "Unix".
    private static let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3]

    struct Failure: Error {}

    /// Compresses content of any length. It blocks, and uses all cores.
    static func compress(_ content: [UInt8]) throws -> [UInt8] {
        let count = max(1, (content.count + pieceLength - 1) / pieceLength)
        let parts = Mutex([[UInt8]?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let start = index * pieceLength
            let part = deflated(
                content[start..<min(start + pieceLength, content.count)], isLast: index == count - 1)
            parts.withLock { $0[index] = part }
        }
        var result = head
        let done = parts.withLock { $0 }
        result.reserveCapacity(done.reduce(18) { $0 + ($1?.count ?? 0) })
        for part in done {
            guard let part else { throw Failure() }
            result += part
        }
        let sum = content.withUnsafeBufferPointer { crc32_z(0, $0.baseAddress, $0.count) }
        for word in [UInt32(truncatingIfNeeded: sum), UInt32(truncatingIfNeeded: content.count)] {
            result += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return result
    }

    /// A part of the stream; nil if zlib has no memory.
    private static func deflated(_ piece: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]? {
        var stream = z_stream()
        // Negative window bits select raw DEFLATE.
        let status = deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        // An empty block follows each part but the last.
        let room = Int(deflateBound(&stream, uLong(piece.count))) + 16
        var isFinished = false
        let part = [UInt8](unsafeUninitializedCapacity: room) { target, count in
            piece.withUnsafeBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(room)
                let status = deflate(&stream, isLast ? Z_FINISH : Z_FULL_FLUSH)
                isFinished = status == (isLast ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0
                stream.next_in = nil
                stream.next_out = nil
            }
            count = Int(stream.total_out)
        }
        return isFinished ? part : nil
    }
}
