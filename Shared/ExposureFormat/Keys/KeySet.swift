package import ExposureKeys

/// The keys of one file, in the published order, encoded and compressed.
///
/// A set is published for several regions, and their files differ in a few bytes before the keys. So the expensive part is
/// done once, and the files are put together from it.
package struct KeySet: Sendable {
    /// How many keys the set has. None is fine: a window without enough keys gets an empty, signed file.
    package let count: Int
    /// Field 7 of the message, once for each key.
    let records: [UInt8]
    /// The records as the end of a DEFLATE stream.
    let compressed: [UInt8]
    /// CRC-32 of the records.
    let checksum: UInt32

    /// The keys may come in any order, and it has no part in the result. Nothing is left out: which keys may be published is
    /// decided before.
    package init(_ keys: some Sequence<DiagnosisKey>) throws(ZipWriterError) {
        try self.init(sorted: Self.sorted(keys)[...])
    }

    private init(sorted keys: ArraySlice<ExportedKey>) throws(ZipWriterError) {
        var records: [UInt8] = []
        records.reserveCapacity(keys.count * WireKeyRecord.longest)
        for key in keys { WireKeyRecord.append(key, to: &records) }
        count = keys.count
        checksum = Deflate.checksum(records)
        // The framing that repeats is found at once; more effort finds nothing in random keys.
        compressed = try Deflate.compress(records, level: .fast)
        self.records = records
    }

    private static func sorted(_ keys: some Sequence<DiagnosisKey>) -> [ExportedKey] {
        keys.map { key in
            let exported = ExportedKey(key)
            return (order: ExportOrder(exported), key: exported)
        }.sorted { $0.order < $1.order }.map(\.key)
    }
}

extension KeySet {
    /// The keys of one window as the files that it takes: as few as the limit allows, of nearly equal size. So no file is small
    /// because the ones before it were full.
    /// - Parameter limit: the most keys of a file. Phones refuse files that are much larger (Corona-Warn-App sheet, 5.4).
    package static func batches(of keys: [DiagnosisKey], atMost limit: Int) throws(ZipWriterError) -> [KeySet] {
        let sorted = sorted(keys)
        let count = batchCount(for: sorted.count, atMost: limit)
        var batches: [KeySet] = []
        for number in 0..<count {
            batches.append(
                try KeySet(sorted: sorted[sorted.count * number / count..<sorted.count * (number + 1) / count]))
        }
        return batches
    }

    /// How many files that is; one for a window without keys.
    package static func batchCount(for keys: Int, atMost limit: Int) -> Int {
        max(1, (keys + limit - 1) / limit)
    }
}
