import CZlib

/// Raw DEFLATE and CRC-32, by zlib.
///
/// The same build of zlib gives the same output for the same input; another build may compress differently. That is why
/// signatures cover the content of an archive and never the archive itself.
enum Deflate {
    /// Compresses less than 4 GiB at zlib's best level, without a zlib or gzip header.
    static func compress(_ input: [UInt8]) throws(ZipWriterError) -> [UInt8] {
        guard let length = UInt32(exactly: input.count) else { throw .tooLarge }
        var stream = z_stream()
        // Negative window bits select raw DEFLATE.
        let status = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .compressionFailed }
        defer { deflateEnd(&stream) }

        let bound = deflateBound(&stream, uLong(input.count))
        guard let room = UInt32(exactly: bound) else { throw .tooLarge }
        var finished = false
        let output = [UInt8](unsafeUninitializedCapacity: Int(bound)) { target, count in
            input.withUnsafeBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = length
                stream.next_out = target.baseAddress
                stream.avail_out = room
                // One call is enough: the output has room for the worst case.
                finished = deflate(&stream, Z_FINISH) == Z_STREAM_END
                stream.next_in = nil
                stream.next_out = nil
            }
            count = Int(stream.total_out)
        }
        guard finished else { throw .compressionFailed }
        return output
    }

    /// Size and checksum of the content of a complete DEFLATE stream; nil if it isn't one.
    static func contentFacts(of stream: [UInt8]) -> (size: Int, checksum: UInt32)? {
        guard let length = UInt32(exactly: stream.count) else { return nil }
        var state = z_stream()
        guard inflateInit2_(&state, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&state) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { piece.deallocate() }
        return stream.withUnsafeBufferPointer { source -> (size: Int, checksum: UInt32)? in
            state.next_in = source.baseAddress
            state.avail_in = length
            var (size, sum) = (0, checksum([]))
            while true {
                state.next_out = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
                state.avail_out = UInt32(piece.count)
                let status = inflate(&state, Z_NO_FLUSH)
                let written = piece.count - Int(state.avail_out)
                sum = checksum(UnsafeRawBufferPointer(rebasing: piece[..<written]), after: sum)
                size += written
                if status == Z_STREAM_END { return state.avail_in == 0 ? (size, sum) : nil }
                guard status == Z_OK else { return nil }
            }
        }
    }

    /// Bytes as a block of a DEFLATE stream that isn't its last, uncompressed (RFC 1951, section 3.2.4).
    ///
    /// Such a block ends with a whole byte, so any stream can follow it.
    static func storedBlock(_ content: [UInt8]) throws(ZipWriterError) -> [UInt8] {
        guard let count = UInt16(exactly: content.count) else { throw .tooLarge }
        return [0, UInt8(count & 0xff), UInt8(count >> 8), UInt8(~count & 0xff), UInt8(~count >> 8)] + content
    }

    /// The checksum of two concatenated parts.
    static func joined(_ first: UInt32, _ second: UInt32, secondCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(uLong(first), uLong(second), secondCount))
    }

    /// Continues a checksum with further bytes.
    static func checksum(_ bytes: UnsafeRawBufferPointer, after first: UInt32) -> UInt32 {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return UInt32(truncatingIfNeeded: crc32_z(uLong(first), start, bytes.count))
    }

    /// CRC-32 as ZIP records it.
    static func checksum(_ input: [UInt8]) -> UInt32 {
        input.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }
}
