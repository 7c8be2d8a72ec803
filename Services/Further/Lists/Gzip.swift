import CZlib
import Dispatch
import Synchronization

/// gzip (RFC 1952), by zlib at its fastest level.
///
/// Pieces of the content are compressed side by side. Each is a part of one stream that ends at a whole byte and refers to nothing before
/// it, so the parts only need to be put in a row. Every reader of gzip reads that; several streams in a row, browsers don't.
enum Gzip {
    private static let pieceLength = 1 << 20
    /// So many pieces are compressed before their parts are put in a row: memory needn't have room for all parts twice.
    private static let groupSize = 16
    /// No name, no time: the same content has the same head. The last byte is "Unix".
    private static let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3]

    struct Failure: Error {}

    /// Compresses content of any length. It blocks, and uses all cores.
    static func compress(_ content: [UInt8]) throws -> [UInt8] {
        var result = head
        // Memory that isn't written to costs nothing.
        result.reserveCapacity(head.count + content.count + 8)
        let starts = Array(stride(from: 0, to: max(1, content.count), by: pieceLength))
        for group in stride(from: 0, to: starts.count, by: groupSize) {
            for part in try compress(content, at: starts[group...].prefix(groupSize)) { result += part }
        }
        let sum = content.withUnsafeBufferPointer { crc32_z(0, $0.baseAddress, $0.count) }
        for word in [UInt32(truncatingIfNeeded: sum), UInt32(truncatingIfNeeded: content.count)] {
            result += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return result
    }

    /// Some parts of the stream, from the pieces that start at these places.
    private static func compress(_ content: [UInt8], at starts: ArraySlice<Int>) throws -> [[UInt8]] {
        let parts = Mutex([[UInt8]?](repeating: nil, count: starts.count))
        DispatchQueue.concurrentPerform(iterations: starts.count) { index in
            let start = starts[starts.startIndex + index]
            let end = min(start + pieceLength, content.count)
            let part = deflated(content[start..<end], isLast: end == content.count)
            parts.withLock { $0[index] = part }
        }
        return try parts.withLock { parts in
            try parts.map { part in
                guard let part else { throw Failure() }
                return part
            }
        }
    }

    /// A part of the stream; nil if zlib has no memory.
    private static func deflated(_ piece: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]? {
        var stream = z_stream()
        // Negative window bits select raw DEFLATE. 8 is the memory that zlib takes by default: more is slower here.
        let status = deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        // An empty block follows each part but the last.
        let room = Int(deflateBound(&stream, uLong(piece.count))) + 16
        // The part is copied out of the room, which is five times as long.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { target in
            let status = piece.withUnsafeBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(room)
                return deflate(&stream, isLast ? Z_FINISH : Z_FULL_FLUSH)
            }
            guard status == (isLast ? Z_STREAM_END : Z_OK), stream.avail_in == 0, stream.avail_out > 0 else {
                return nil
            }
            return Array(target[..<Int(stream.total_out)])
        }
    }
}
