import ExposureKeys

/// Compresses a file's records as a DEFLATE stream, using their known structure.
///
/// Of a record's 34 bytes or so, 16 are random, and the others nearly always equal those of the previous record. A general
/// compressor spends much time to find that out. This one writes one back-reference for each record, from the end of a key to
/// the end of the next key's common prefix, and then the other bytes as literals. It searches for matches only where the
/// metadata changes. `deploy/bench.sh` compares it with zlib.
///
/// All records form one block with one dynamic Huffman code (RFC 1951, section 3.2.7).
struct RecordDeflater: ~Copyable {
    private var stream: BitStream

    // MARK: The code

    /// The code for a number of keys and of distinct metadata values: most records have some fifteen random bytes and one
    /// reference of length 17 to 22 (symbols 268 and 269). Where the metadata changes there are two, of length eight or so.
    private static func code(keys: Int, kinds: Int) -> HuffmanCode {
        var weights = [Int](repeating: 1000, count: 256) + [1] + [Int](repeating: 20, count: 17)
        let changes = 17_000 * kinds / max(1, keys)
        weights[262] += changes
        weights[263] += changes / 2
        weights[264] += changes / 4
        let others = max(1000, 17_000 - changes)
        weights[268] += others * 2 / 5
        weights[269] += others * 3 / 5
        // DEFLATE allows 15 bits. With 14, a reference and four literals of nine bits have at most 57, the limit between two
        // flushes.
        return HuffmanCode(weights: weights, longest: 14)
    }

    /// Distances equal record lengths: 25 to 32 have symbol 9, 33 to 48 symbol 10.
    private static let distanceCode = HuffmanCode(lengths: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    private static let endOfBlock = 256

    /// A symbol's bits with its extra bits, and their number.
    private struct Symbol: BitwiseCopyable {
        var bits: UInt32
        var count: UInt32

        init(_ code: HuffmanCode, _ symbol: Int, extra: Int = 0, extraBits: UInt8 = 0) {
            bits = UInt32(code.codes[symbol]) | UInt32(extra) << code.lengths[symbol]
            count = UInt32(code.lengths[symbol] + extraBits)
        }
    }

    private let code: HuffmanCode
    private let literals: [Symbol]
    /// The symbols by length, from 3 (the shortest) to 34.
    private let references: [Symbol]
    /// The symbols by distance, from 25 to 48.
    private let distances: [Symbol]
    private static let longestReference = 34

    // MARK: Writing

    /// - Parameters:
    ///   - keys: the approximate number of records.
    ///   - kinds: the approximate number of distinct metadata values.
    init(keys: Int, kinds: Int) {
        stream = BitStream(capacity: 512 + keys * 18)
        let code = Self.code(keys: keys, kinds: kinds)
        self.code = code
        literals = (0..<256).map { Symbol(code, $0) }
        references = (3...34).map { length in
            switch length {
            case ...10: Symbol(code, 254 + length)
            case ...18: Symbol(code, 265 + (length - 11) / 2, extra: (length - 11) % 2, extraBits: 1)
            default: Symbol(code, 269 + (length - 19) / 4, extra: (length - 19) % 4, extraBits: 2)
            }
        }
        distances = (25...48).map { distance in
            distance < 33
                ? Symbol(Self.distanceCode, 9, extra: distance - 25, extraBits: 3)
                : Symbol(Self.distanceCode, 10, extra: distance - 33, extraBits: 4)
        }
        writeHeader()
    }

    /// Appends a key with the same metadata as the two before it.
    /// - Parameters:
    ///   - previous: the key before it.
    ///   - surrounding: the number of bytes of a record that aren't the key's.
    @inline(__always)
    mutating func append(_ key: KeyData, after previous: KeyData, surrounding: Int) {
        // The length of the common prefix; limited to seven bytes, which random keys never exceed.
        let prefix = min(7, (key.high ^ previous.high).leadingZeroBitCount >> 3)
        let length = min(surrounding + prefix, Self.longestReference)
        stream.reserve(40)
        write(references[length - 3], distances[surrounding + KeyData.count - 25])
        var rest = key.high << (8 * UInt64(length - surrounding))
        var left = 8 - (length - surrounding)
        while left > 0 {
            write(literals[Int(rest >> 56)])
            rest <<= 8
            left -= 1
            if left & 3 == 0 { stream.flush() }
        }
        rest = key.low
        for _ in 0..<2 {
            for _ in 0..<4 {
                write(literals[Int(rest >> 56)])
                rest <<= 8
            }
            stream.flush()
        }
    }

    /// Appends any bytes, searching for matches at one distance.
    mutating func append(_ bytes: UnsafeRawBufferPointer, distance: Int?) {
        stream.reserve(bytes.count * 4)
        var position = 0
        while position < bytes.count {
            var match = 0
            if let distance, let start = bytes.baseAddress {
                let longest = min(bytes.count - position, Self.longestReference)
                while match < longest,
                    bytes[position + match]
                        == (start + position + match - distance).load(as: UInt8.self)
                { match += 1 }
            }
            if match >= 4, let distance {
                write(references[match - 3], distances[distance - 25])
                position += match
            } else {
                write(literals[Int(bytes[position])])
                position += 1
            }
            stream.flush()
        }
    }

    /// The end of the block and of the stream.
    consuming func finish() -> [UInt8] {
        write(Symbol(code, Self.endOfBlock))
        return stream.finish()
    }

    @inline(__always)
    private mutating func write(_ symbol: Symbol) { stream.write(UInt64(symbol.bits), UInt64(symbol.count)) }

    @inline(__always)
    private mutating func write(_ first: Symbol, _ second: Symbol) {
        write(first)
        write(second)
    }

    // MARK: The block's header

    /// The order of the lengths of the code for lengths.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    /// The symbol that repeats a length three to six times.
    private static let repetition = 16

    private mutating func writeHeader() {
        let lengths = code.lengths + Self.distanceCode.lengths
        // Each length, or a repetition of the one before it.
        var symbols: [(symbol: Int, extra: Int)] = []
        var position = 0
        while position < lengths.count {
            symbols.append((Int(lengths[position]), 0))
            let run = lengths[position...].prefix { $0 == lengths[position] }.count
            var more = run - 1
            while more >= 3 {
                let times = min(6, more)
                symbols.append((Self.repetition, times - 3))
                more -= times
            }
            for _ in 0..<more { symbols.append((Int(lengths[position]), 0)) }
            position += run
        }
        var weights = [Int](repeating: 0, count: 19)
        for symbol in symbols { weights[symbol.symbol] += 1 }
        // The lengths of this code have three bits (RFC 1951, section 3.2.7).
        let lengthCode = HuffmanCode(weights: weights, longest: 7)
        let given = (Self.order.lastIndex { lengthCode.lengths[$0] > 0 } ?? 3) + 1

        // The last block, with dynamic codes.
        stream.write(1 | 2 << 1, 3)
        stream.write(UInt64(code.lengths.count - 257), 5)
        stream.write(UInt64(Self.distanceCode.lengths.count - 1), 5)
        stream.write(UInt64(given - 4), 4)
        stream.flush()
        for symbol in Self.order[..<given] {
            stream.write(UInt64(lengthCode.lengths[symbol]), 3)
            stream.flush()
        }
        for (symbol, extra) in symbols {
            stream.write(UInt64(lengthCode.codes[symbol]), UInt64(lengthCode.lengths[symbol]))
            if symbol == Self.repetition { stream.write(UInt64(extra), 2) }
            stream.flush()
        }
    }
}
