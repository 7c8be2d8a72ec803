/// A prefix code for DEFLATE (RFC 1951, section 3.2.2): a length for each symbol, and the canonical code of these lengths.
struct HuffmanCode {
    /// The lengths in bits; 0 for symbols without a code.
    let lengths: [UInt8]
    /// The codes in writing order, first bit least significant.
    let codes: [UInt16]

    /// A code for symbols with these frequencies; symbols of weight 0 get none.
    ///
    /// With at least two symbols it is complete, as inflaters require.
    ///
    /// The code is optimal, unless the optimal one exceeds `longest`: then the weights are levelled until it doesn't.
    /// - Parameter longest: the longest code in bits; there are at most 2^longest symbols.
    init(weights: [Int], longest: UInt8) {
        var weights = weights
        var lengths = Self.bestLengths(weights)
        while lengths.contains(where: { $0 > longest }) {
            // No positive weight becomes 0, and equal weights give the shortest codes, so this ends.
            weights = weights.map { ($0 + 1) / 2 }
            lengths = Self.bestLengths(weights)
        }
        self.init(lengths: lengths)
    }

    /// Huffman's algorithm: joins the two lightest trees until one is left.
    private static func bestLengths(_ weights: [Int]) -> [UInt8] {
        var trees = weights.enumerated().filter { $1 > 0 }.map { (weight: $1, symbols: [$0]) }
        var lengths = [UInt8](repeating: 0, count: weights.count)
        while trees.count > 1 {
            trees.sort { ($0.weight, $0.symbols[0]) > ($1.weight, $1.symbols[0]) }
            let (lightest, next) = (trees.removeLast(), trees.removeLast())
            let symbols = lightest.symbols + next.symbols
            for symbol in symbols { lengths[symbol] += 1 }
            trees.append((lightest.weight + next.weight, symbols))
        }
        return lengths
    }

    /// The canonical code of given lengths.
    init(lengths: [UInt8]) {
        self.lengths = lengths
        var codes = [UInt16](repeating: 0, count: lengths.count)
        var next: UInt16 = 0
        for length in 1...UInt8(15) {
            for symbol in lengths.indices where lengths[symbol] == length {
                codes[symbol] = Self.reversed(next, length)
                next += 1
            }
            next <<= 1
        }
        self.codes = codes
    }

    private static func reversed(_ code: UInt16, _ length: UInt8) -> UInt16 {
        var (rest, result): (UInt16, UInt16) = (code, 0)
        for _ in 0..<length {
            result = result << 1 | rest & 1
            rest >>= 1
        }
        return result
    }
}
