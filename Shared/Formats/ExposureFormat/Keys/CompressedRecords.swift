import ExposureKeys

/// The records of a file's keys.
///
/// They are compressed and checksummed while they are written, piece by piece, and never in memory as a whole.
struct CompressedRecords: Sendable {
    /// The end of a DEFLATE stream.
    let bytes: [UInt8]
    /// CRC-32 of the records.
    let checksum: UInt32
    /// Bytes of the records.
    let size: Int

    /// Bytes kept before a piece, so that back-references reach two records back.
    private static let history = 128
    /// A piece stays in the processor's cache while it is written, compressed, hashed and checksummed.
    private static let piece = 32 << 10

    /// - Parameter pass: receives the records, piece by piece.
    init(of set: KeySet, passing pass: (UnsafeRawBufferPointer) -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.history + Self.piece + 2 * RecordShape.lengths.upperBound, alignment: 16)
        defer { buffer.deallocate() }
        var writing = Writing(buffer: buffer, start: Self.history, keys: set.count, kinds: set.kinds)
        var (checksum, size) = (Deflate.checksum([]), 0)
        set.keys.withUnsafeBufferPointer { keys in
            for key in keys {
                writing.append(key)
                guard writing.end >= Self.history + Self.piece else { continue }
                let piece = UnsafeRawBufferPointer(rebasing: buffer[Self.history..<writing.end])
                checksum = Deflate.checksum(piece, after: checksum)
                size += piece.count
                pass(piece)
                writing.rewind(to: Self.history)
            }
        }
        let last = UnsafeRawBufferPointer(rebasing: buffer[Self.history..<writing.end])
        pass(last)
        self.checksum = Deflate.checksum(last, after: checksum)
        self.size = size + last.count
        bytes = writing.finish()
    }

    /// The records in the buffer, and their compression.
    private struct Writing: ~Copyable {
        private let buffer: UnsafeMutableRawBufferPointer
        /// The end of the last record.
        private(set) var end: Int
        /// The end of the compressed part, which is the end of a key.
        private var compressed: Int
        private var deflater: RecordDeflater
        private var metadata: UInt64 = 0
        private var shape: RecordShape?
        private var previous = KeyData(high: 0, low: 0)
        /// The length of the last record.
        private var length = 0
        /// The number of records.
        private var count = 0
        /// The number of keys with the current metadata.
        private var sameMetadata = 0

        init(buffer: UnsafeMutableRawBufferPointer, start: Int, keys: Int, kinds: Int) {
            self.buffer = buffer
            (end, compressed) = (start, start)
            deflater = RecordDeflater(keys: keys, kinds: kinds)
        }

        @inline(__always)
        mutating func append(_ key: PublishedKey) {
            let shape: RecordShape
            if let known = self.shape, key.metadata == metadata {
                shape = known
            } else {
                shape = RecordShape(of: key)
                self.shape = shape
                metadata = key.metadata
                sameMetadata = 0
            }
            let keyEnd = write(key.data, shape)
            if sameMetadata >= 2 {
                deflater.append(key.data, after: previous, surrounding: shape.surrounding)
            } else {
                compress(through: keyEnd)
            }
            compressed = keyEnd
            previous = key.data
            length = shape.length
            sameMetadata += 1
            count += 1
        }

        /// Writes a record.
        /// - Returns: the end of its key.
        @inline(__always)
        private mutating func write(_ key: KeyData, _ shape: RecordShape) -> Int {
            // Words exceed the values they hold; the next record overwrites the excess.
            buffer.storeBytes(of: shape.head.littleEndian, toByteOffset: end, as: UInt32.self)
            buffer.storeBytes(of: key.high.bigEndian, toByteOffset: end + 4, as: UInt64.self)
            buffer.storeBytes(of: key.low.bigEndian, toByteOffset: end + 12, as: UInt64.self)
            let keyEnd = end + 4 + KeyData.count
            buffer.storeBytes(of: shape.tail.0.littleEndian, toByteOffset: keyEnd, as: UInt64.self)
            buffer.storeBytes(of: shape.tail.1.littleEndian, toByteOffset: keyEnd + 8, as: UInt64.self)
            end += shape.length
            return keyEnd
        }

        private mutating func compress(through position: Int) {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[compressed..<position])
            // The second record's reference would reach before the first record.
            deflater.append(bytes, distance: count < 2 ? nil : length)
        }

        /// Moves the last bytes to the front of the buffer.
        mutating func rewind(to start: Int) {
            let moved = end - start
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<start])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[moved..<end]))
            end = start
            compressed -= moved
        }

        consuming func finish() -> [UInt8] {
            compress(through: end)
            return deflater.finish()
        }
    }
}
