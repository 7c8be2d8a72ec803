import CMatching

/// Two sets of bits that say of most identifiers that they were not heard, in one look at memory.
///
/// They make no difference to what is found. Whoever broadcasts identifiers of his choice may fill bits or find them filled;
/// he then costs a look-up each, no more.
struct HeardFilter: Sendable {
    /// Asked by C, of the first four bytes of every broadcast: with 256 bits for each identifier heard, one of 256 others
    /// passes. Fewer let more pass, and more bits don't stay near the processor; 128 and 512 were measured to be slower.
    private var first: Bits
    /// Asked of four later bytes of what has passed. It lies nearer than the table of identifiers, which takes a hash, too.
    private var second: Bits

    /// A filter that everything heard passes.
    init(_ heard: some Collection<RollingProximityIdentifier>) {
        first = Bits(count: heard.count * 256)
        second = Bits(count: heard.count * 16)
        for identifier in heard {
            first.insert(UInt32(truncatingIfNeeded: identifier.first))
            second.insert(UInt32(truncatingIfNeeded: identifier.second))
        }
    }

    /// Whether an identifier passes both sets.
    func passes(_ identifier: RollingProximityIdentifier) -> Bool {
        second.contains(UInt32(truncatingIfNeeded: identifier.second))
            && first.contains(UInt32(truncatingIfNeeded: identifier.first))
    }

    /// Computes the broadcasts of keys and keeps those that pass the first set.
    /// - Parameter room: for the candidates of `VIGIL_MATCHING_BATCH` keys at least.
    /// - Returns: how many candidates there are in `room`, and of how many of the keys: at least one, if there are any.
    func candidates(
        among keys: UnsafeBufferPointer<vigil_matching_key>, _ code: MatchingCode,
        in room: UnsafeMutableBufferPointer<vigil_matching_candidate>
    ) -> (count: Int, keysDone: Int) {
        first.words.withUnsafeBufferPointer { words in
            var done = 0
            let count = vigil_matching_candidates(
                code.hash, code.cipher, keys.baseAddress, keys.count,
                vigil_matching_filter(words: words.baseAddress, shift: first.shift), room.baseAddress, room.count, &done
            )
            return (count, done)
        }
    }

    /// Numbers of 32 bits, each as one bit that others share: the lowest six say which of a word, the highest which word.
    private struct Bits {
        var words: [UInt64]
        let shift: UInt32

        /// 16 Mbit take 2 MiB of a phone's memory.
        private static let size = (1 << 12)...(1 << 24)

        /// - Parameter count: rounded up to a power of two.
        init(count: Int) {
            let wanted = min(max(count, Self.size.lowerBound), Self.size.upperBound)
            let exponent = Int.bitWidth - (wanted - 1).leadingZeroBitCount - 6
            words = [UInt64](repeating: 0, count: 1 << exponent)
            shift = UInt32(32 - exponent)
        }

        mutating func insert(_ number: UInt32) { words[Int(number >> shift)] |= 1 << UInt64(number % 64) }

        func contains(_ number: UInt32) -> Bool { words[Int(number >> shift)] >> UInt64(number % 64) & 1 == 1 }
    }
}
