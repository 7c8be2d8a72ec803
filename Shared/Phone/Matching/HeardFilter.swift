import CMatching

/// A set of bits that says of most identifiers that they were not heard, in one look at memory.
///
/// It makes no difference to what is found. Whoever broadcasts identifiers of his choice may fill bits or find them filled;
/// he then costs a look-up each, no more.
struct HeardFilter: Sendable {
    private let words: [UInt64]
    /// The place of an identifier is that of its first four bytes, shifted by so much, and a bit by the lowest six.
    private let shift: UInt32

    /// Bits for each identifier heard: one of 512 others passes. Fewer let more pass, and with more the set doesn't stay near
    /// the processor; 256 and 1024 were measured to be slower.
    private static let bitsEach = 512
    /// 16 Mbit take 2 MiB of a phone's memory.
    private static let size = (1 << 12)...(1 << 24)

    /// A filter that everything heard passes.
    init(_ heard: some Collection<RollingProximityIdentifier>) {
        let wanted = min(max(heard.count * Self.bitsEach, Self.size.lowerBound), Self.size.upperBound)
        // The next power of two, in words of 64 bits.
        let exponent = UInt32((wanted - 1).bitWidth - (wanted - 1).leadingZeroBitCount) - 6
        var words = [UInt64](repeating: 0, count: 1 << exponent)
        shift = 32 - exponent
        for identifier in heard {
            let number = UInt32(truncatingIfNeeded: identifier.first)
            words[Int(number >> shift)] |= 1 << UInt64(number % 64)
        }
        self.words = words
    }

    /// What C asks of each broadcast.
    func mayContain(_ identifier: RollingProximityIdentifier) -> Bool {
        let number = UInt32(truncatingIfNeeded: identifier.first)
        return words[Int(number >> shift)] >> UInt64(number % 64) & 1 == 1
    }

    /// Computes the broadcasts of keys and keeps those that pass.
    /// - Parameter room: for the candidates of `VIGIL_MATCHING_BATCH` keys at least.
    /// - Returns: how many candidates there are in `room`, and of how many of the keys: at least one, if there are any.
    func candidates(
        among keys: UnsafeBufferPointer<vigil_matching_key>, _ code: MatchingCode,
        in room: UnsafeMutableBufferPointer<vigil_matching_candidate>
    ) -> (count: Int, keysDone: Int) {
        words.withUnsafeBufferPointer { words in
            var done = 0
            let count = vigil_matching_candidates(
                code.hash, code.cipher, keys.baseAddress, keys.count,
                vigil_matching_filter(words: words.baseAddress, shift: shift), room.baseAddress, room.count, &done)
            return (count, done)
        }
    }
}
