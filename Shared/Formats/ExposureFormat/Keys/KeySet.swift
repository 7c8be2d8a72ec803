package import ExposureKeys

/// The keys of one file, in the published order.
package struct KeySet: Sendable {
    let keys: ArraySlice<PublishedKey>

    /// How many keys the set has. None is fine: a window without enough keys gets an empty, signed file.
    package var count: Int { keys.count }

    /// How many kinds of metadata its keys have.
    var kinds: Int {
        var kinds = 0
        var last: UInt64?
        for key in keys where key.metadata != last {
            kinds += 1
            last = key.metadata
        }
        return kinds
    }

    /// The keys may come in any order, and it has no part in the result. Nothing is left out: which keys may be published is
    /// decided before.
    package init(_ keys: some Sequence<DiagnosisKey>) {
        self.init(keys.map(PublishedKey.init))
    }

    private init(_ keys: consuming [PublishedKey]) {
        KeySort.sort(&keys)
        self.init(sorted: keys[...])
    }

    private init(sorted keys: ArraySlice<PublishedKey>) { self.keys = keys }

    /// The keys of one window as the files that it takes: as few as the limit allows, of nearly equal size. So no file is small
    /// because the ones before it were full.
    /// - Parameter limit: the most keys of a file. Phones refuse files that are much larger (Corona-Warn-App sheet, 5.4).
    package static func batches(of keys: consuming [PublishedKey], atMost limit: Int) -> [KeySet] {
        let sorted = KeySet(keys).keys
        let count = batchCount(for: sorted.count, atMost: limit)
        return (0..<count).map { number in
            KeySet(sorted: sorted[sorted.count * number / count..<sorted.count * (number + 1) / count])
        }
    }

    /// How many files that is; one for a window without keys.
    package static func batchCount(for keys: Int, atMost limit: Int) -> Int {
        max(1, (keys + limit - 1) / limit)
    }
}
