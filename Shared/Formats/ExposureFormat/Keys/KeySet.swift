package import ExposureKeys

/// The keys of one file, in the published order.
package struct KeySet: Sendable {
    let keys: ArraySlice<PublishedKey>

    /// The number of keys; 0 for a window without enough keys, which gets an empty, signed file.
    package var count: Int { keys.count }

    /// The number of distinct metadata values.
    var kinds: Int {
        var kinds = 0
        var last: UInt64?
        for key in keys where key.metadata != last {
            kinds += 1
            last = key.metadata
        }
        return kinds
    }

    /// Sorts the keys; their order has no effect. All are kept: the caller decides which keys may be published.
    package init(_ keys: some Sequence<DiagnosisKey>) {
        self.init(keys.map(PublishedKey.init))
    }

    private init(_ keys: consuming [PublishedKey]) {
        KeySort.sort(&keys)
        self.init(sorted: keys[...])
    }

    private init(sorted keys: ArraySlice<PublishedKey>) { self.keys = keys }

    /// Splits the keys of one window into as few files as the limit allows, of nearly equal size, so that the last one isn't
    /// small.
    /// - Parameter limit: the maximum number of keys in a file. Phones refuse much larger files.
    package static func batches(of keys: consuming [PublishedKey], atMost limit: Int) -> [KeySet] {
        let count = batchCount(for: keys.count, atMost: limit)
        return batches(of: keys, count: count)
    }

    /// Splits the keys of one window into a number of files of nearly equal size, for a region that has only some of a window's keys.
    package static func batches(of keys: consuming [PublishedKey], count: Int) -> [KeySet] {
        let sorted = KeySet(keys).keys
        return (0..<count).map { number in
            KeySet(sorted: sorted[sorted.count * number / count..<sorted.count * (number + 1) / count])
        }
    }

    /// The number of files; one for a window without keys.
    package static func batchCount(for keys: Int, atMost limit: Int) -> Int {
        max(1, (keys + limit - 1) / limit)
    }
}
