import ExposureKeys

/// The records of a file's keys, compressed and summed up while they are written, piece by piece: they are never in memory as a
/// whole.
struct CompressedRecords: Sendable {
    /// The end of a DEFLATE stream.
    let bytes: [UInt8]
    /// CRC-32 of the records.
    let checksum: UInt32
    /// Bytes of the records.
    let size: Int

    /// What stays in front of a piece, so that references may reach back: two records.
    private static let history = 128
    /// Small enough for the processor's own memory, in which it is written, compressed, hashed and summed up.
    private static let piece = 32 << 10

    /// - Parameter pass: is given the records, piece by piece.
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

    /// The records in the buffer, and what was compressed of them.
    private struct Writing: ~Copyable {
        private let buffer: UnsafeMutableRawBufferPointer
        /// Behind the last record.
        private(set) var end: Int
        /// Behind the last byte that was compressed, which is a key's last byte.
        private var compressed: Int
        private var deflater: RecordDeflater
        private var metadata: UInt64 = 0
        private var shape: RecordShape?
        private var previous = KeyData(high: 0, low: 0)
        /// How long the last record was.
        private var length = 0
        /// How many records there are.
        private var count = 0
        /// How many keys had the present metadata.
        private var alike = 0

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
                alike = 0
            }
            let keyEnd = write(key.data, shape)
            if alike >= 2 {
                deflater.append(key.data, after: previous, surrounding: shape.surrounding)
            } else {
                compress(through: keyEnd)
            }
            compressed = keyEnd
            previous = key.data
            length = shape.length
            alike += 1
            count += 1
        }

        /// Writes a record; gives the position behind its key.
        @inline(__always)
        private mutating func write(_ key: KeyData, _ shape: RecordShape) -> Int {
            // Words reach over the end of what they bring; the next record is written over that.
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
            // The second record's reference would reach back before the first.
            deflater.append(bytes, distance: count < 2 ? nil : length)
        }

        /// Moves the last bytes to the front, so that there is room again.
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
