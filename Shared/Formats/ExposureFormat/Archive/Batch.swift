/// A file's place among the files of the same window of time.
package struct Batch: Hashable, Sendable {
    /// Counted from 1.
    package let number: Int32
    /// How many files the window has, at least 1.
    package let size: Int32

    /// Nil unless the number is one of 1...size.
    package init?(number: Int32, size: Int32) {
        guard number >= 1, number <= size else { return nil }
        self.init(checked: number, size)
    }

    private init(checked number: Int32, _ size: Int32) {
        self.number = number
        self.size = size
    }

    /// The one file of its window.
    package static let only = Batch(checked: 1, 1)
}
