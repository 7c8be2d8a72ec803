/// Counts by address prefix, in a table from which no prefix can be read.
///
/// It is a count-min sketch with two rows. Cells are chosen by a keyed hash (the standard library's SipHash, which every
/// process seeds anew, over a key of the table's own and the prefix). Even with the key, reading a prefix means trying every
/// one, and a hit may belong to another prefix. Two prefixes that share both cells share a count; without the key, nobody can
/// arrange that.
package struct PrefixSketch: Sendable {
    private static let rows = 2
    /// A power of two; both rows together take 512 KiB.
    private static let columns = 65_536

    private let key: (UInt64, UInt64) = (.random(in: 0 ... .max), .random(in: 0 ... .max))
    private var counts = [UInt32](repeating: 0, count: PrefixSketch.rows * PrefixSketch.columns)

    /// Counts nothing yet, with a key of its own.
    package init() {}

    /// How often a prefix has been added; more if others share its cells.
    package func count(_ prefix: AddressPrefix) -> Int {
        let (first, second) = cells(of: prefix)
        return Int(min(counts[first], counts[second]))
    }

    /// Adds a prefix.
    /// - Returns: its count.
    package mutating func add(_ prefix: AddressPrefix) -> Int {
        let (first, second) = cells(of: prefix)
        counts[first] += 1
        counts[second] += 1
        return Int(min(counts[first], counts[second]))
    }

    /// Removes a prefix that was added.
    package mutating func remove(_ prefix: AddressPrefix) {
        let (first, second) = cells(of: prefix)
        counts[first] -= 1
        counts[second] -= 1
    }

    private func cells(of prefix: AddressPrefix) -> (Int, Int) {
        var hasher = Hasher()
        hasher.combine(key.0)
        hasher.combine(key.1)
        hasher.combine(prefix)
        let hash = UInt(bitPattern: hasher.finalize())
        return (Int(hash % UInt(Self.columns)), Self.columns + Int((hash >> 32) % UInt(Self.columns)))
    }
}
