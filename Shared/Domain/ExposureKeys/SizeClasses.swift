/// The sizes that a set may have, so that its size tells little about how many people are in it.
package struct SizeClasses: Sendable {
    /// The minimum size.
    package let smallest: Int

    /// The smallest size, then steps of at most a quarter: 140, 175, 218, 272, …
    package init(smallest: Int) { self.smallest = smallest }

    /// The smallest size that is at least `count`.
    package func size(for count: Int) -> Int {
        var size = smallest
        while size < count { size += max(1, size / 4) }
        return size
    }
}
