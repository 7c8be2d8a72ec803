/// How much work goes into making an archive small. The raw values are zlib's levels.
package enum ArchiveCompression: Int32, Hashable, Sendable {
    /// For key exports: keys are random, and once they are sorted by metadata a greedy match already finds the framing
    /// that repeats. In files of more than a few thousand keys it gives the smaller file of the two.
    case fast = 1
    /// For everything else.
    case thorough = 9
}
