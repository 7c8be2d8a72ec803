import CMatching
import Exposures

/// Two bit sets that rule out most identifiers that were not heard, with one memory access each.
///
/// They never change the result. An attacker who broadcasts chosen identifiers can fill bits, or hit filled ones, but this only
/// costs a look-up each.
struct HeardFilter: Sendable {
    /// Tested in C with the first four bytes of every broadcast.
    ///
    /// With 256 bits for each heard identifier, one of 256 others passes. Fewer bits let more pass, and more bits don't stay
    /// close to the processor; measurements with 128 and 512 were slower.
    private var first: Bits
    /// Tested with four later bytes of those that pass.
    ///
    /// It is closer to the processor than the table of identifiers, which also takes a hash.
    private var second: Bits

    /// Creates a filter that every heard identifier passes.
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
    /// - Parameter room: holds at least the candidates of `VIGIL_MATCHING_BATCH` keys.
    /// - Returns: the number of candidates in `room`, and the number of processed keys, which is at least one if there are any.
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

    /// Numbers of 32 bits, each represented by one shared bit: the lowest six bits choose the bit of a word, the highest choose
    /// the word.
    private struct Bits {
        var words: [UInt64]
        let shift: UInt32

        /// The limits of the size in bits. 16 Mbit take 2 MiB of a phone's memory.
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
