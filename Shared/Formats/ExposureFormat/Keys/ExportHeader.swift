package import ExposureKeys

/// The fields of a key export before its keys.
package struct ExportHeader: Hashable, Sendable {
    /// UTC seconds since 1970, inclusive.
    package let startTimestamp: UInt64
    /// UTC seconds since 1970, exclusive.
    package let endTimestamp: UInt64
    /// The country directory the file is published under, such as `DE`.
    package let region: String
    /// The file's place among the files of its window.
    package let batch: Batch

    /// The header of a published file, which covers whole hours. Time before 1970 counts as 1970.
    package init(hours: Range<Hour>, region: String, batch: Batch = .only) {
        startTimestamp = UInt64(clamping: hours.lowerBound.startSeconds)
        endTimestamp = UInt64(clamping: hours.upperBound.startSeconds)
        self.region = region
        self.batch = batch
    }

    /// Nil if the window ends before it starts.
    package init?(startTimestamp: UInt64, endTimestamp: UInt64, region: String, batch: Batch) {
        guard startTimestamp <= endTimestamp else { return nil }
        self.startTimestamp = startTimestamp
        self.endTimestamp = endTimestamp
        self.region = region
        self.batch = batch
    }
}
