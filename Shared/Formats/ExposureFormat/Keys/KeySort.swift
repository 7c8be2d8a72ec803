import ExposureKeys

/// Sorts keys into the published order, in place: ten million in less than a second.
///
/// There are few distinct metadata values (kinds), and key data is random, so a key's position can be estimated: keys are
/// gathered by kind, then put into small buckets by their first bits, and compared only within a bucket. Keys that somebody
/// chose to have the same first bits make one bucket large and its comparison sort slower, and affect nothing else.
enum KeySort {
    /// The intended number of keys in a bucket.
    private static let bucketSize = 4
    /// Up to this size, insertion sort is faster than counting, and than `sort()`.
    private static let insertionLimit = 32

    static func sort(_ keys: inout [PublishedKey]) {
        let kinds = Kinds(of: keys)
        keys.withUnsafeMutableBufferPointer { keys in
            gather(&keys, kinds)
            var scratch = Scratch(largest: kinds.largest)
            for range in kinds.ranges { sortKind(UnsafeMutableBufferPointer(rebasing: keys[range]), &scratch) }
        }
    }

    /// Moves every key into the range of its kind: a misplaced key is swapped with the one in the next free place of its kind,
    /// until the right key arrives.
    private static func gather(_ keys: inout UnsafeMutableBufferPointer<PublishedKey>, _ kinds: Kinds) {
        var next = kinds.ranges.map(\.lowerBound)
        for (kind, range) in kinds.ranges.enumerated() {
            while next[kind] < range.upperBound {
                var key = keys[next[kind]]
                var home = kinds.number(of: key)
                while home != kind {
                    swap(&key, &keys[next[home]])
                    next[home] += 1
                    home = kinds.number(of: key)
                }
                keys[next[kind]] = key
                next[kind] += 1
            }
        }
    }

    /// Memory for the keys of one kind and for the ends of its buckets.
    private struct Scratch: ~Copyable {
        let keys: UnsafeMutableBufferPointer<PublishedKey>
        let ends: UnsafeMutableBufferPointer<Int>

        init(largest: Int) {
            keys = .allocate(capacity: largest)
            ends = .allocate(capacity: buckets(for: largest) + 1)
        }

        deinit {
            keys.deallocate()
            ends.deallocate()
        }
    }

    /// A power of two.
    private static func buckets(for keys: Int) -> Int { 1 << (Int.bitWidth - (keys / bucketSize).leadingZeroBitCount) }

    private static func sortKind(_ keys: UnsafeMutableBufferPointer<PublishedKey>, _ scratch: inout Scratch) {
        guard keys.count > insertionLimit else { return insert(keys) }
        let buckets = buckets(for: keys.count)
        let shift = UInt64(UInt64.bitWidth - buckets.trailingZeroBitCount)
        let ends = scratch.ends
        for bucket in 0...buckets { ends[bucket] = 0 }
        for key in keys { ends[Int(truncatingIfNeeded: key.data.high >> shift) + 1] += 1 }
        for bucket in 1...buckets { ends[bucket] += ends[bucket - 1] }
        // Each bucket's start advances to its end.
        for key in keys {
            let bucket = Int(truncatingIfNeeded: key.data.high >> shift)
            scratch.keys[ends[bucket]] = key
            ends[bucket] += 1
        }
        var start = 0
        for bucket in 0..<buckets {
            var content = UnsafeMutableBufferPointer(rebasing: scratch.keys[start..<ends[bucket]])
            if content.count > insertionLimit { content.sort() } else { insert(content) }
            start = ends[bucket]
        }
        _ = keys.update(fromContentsOf: scratch.keys[..<keys.count])
    }

    /// Insertion sort for a few keys of one kind.
    @inline(__always)
    private static func insert(_ keys: UnsafeMutableBufferPointer<PublishedKey>) {
        var position = 1
        while position < keys.count {
            let key = keys[position]
            var place = position
            while place > 0, key.data < keys[place - 1].data {
                keys[place] = keys[place - 1]
                place -= 1
            }
            keys[place] = key
            position += 1
        }
    }

    /// The distinct metadata values, numbered in their order.
    private struct Kinds {
        /// The range of each kind's keys.
        private(set) var ranges: [Range<Int>]
        /// The largest number of keys of one kind.
        var largest: Int { ranges.map(\.count).max() ?? 0 }
        /// An open-addressing hash table with linear probing.
        private var table: [(metadata: UInt64, number: Int)]

        /// No key's metadata: a period is never longer than a day.
        private static let none = UInt64.max

        init(of keys: [PublishedKey]) {
            table = Array(repeating: (Self.none, 0), count: 1024)
            ranges = []
            var counts: [Int] = []
            for key in keys {
                var place = place(of: key.metadata)
                if table[place].metadata == Self.none {
                    if counts.count * 2 >= table.count {
                        grow()
                        place = self.place(of: key.metadata)
                    }
                    table[place] = (key.metadata, counts.count)
                    counts.append(0)
                }
                counts[table[place].number] += 1
            }
            // Renumber from order of appearance to order of metadata.
            let places = table.indices.filter { table[$0].metadata != Self.none }
                .sorted { table[$0].metadata < table[$1].metadata }
            var start = 0
            for (number, place) in places.enumerated() {
                let end = start + counts[table[place].number]
                ranges.append(start..<end)
                table[place].number = number
                start = end
            }
        }

        func number(of key: PublishedKey) -> Int { table[place(of: key.metadata)].number }

        /// The slot of a kind, whether occupied or free.
        @inline(__always)
        private func place(of metadata: UInt64) -> Int {
            let mask = table.count - 1
            var place = Int(truncatingIfNeeded: (metadata &* 0x9e37_79b9_7f4a_7c15) >> 40) & mask
            while table[place].metadata != metadata, table[place].metadata != Self.none { place = (place + 1) & mask }
            return place
        }

        private mutating func grow() {
            let old = table
            table = Array(repeating: (Self.none, 0), count: 4 * old.count)
            for entry in old where entry.metadata != Self.none { table[place(of: entry.metadata)] = entry }
        }
    }
}
