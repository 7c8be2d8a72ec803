/// The transmission risk level of a key in a batch: 0...8, or unset. Each country has a scale of its own, so importers
/// derive theirs from the days since onset.
package struct FederatedRiskLevel: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: Int32

    /// Nil for a number that the gateway refuses.
    package init?(rawValue: Int32) {
        guard Self.range.contains(rawValue) || rawValue == Int32.max else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: Int32) { self.rawValue = rawValue }

    /// The levels.
    package static let range: ClosedRange<Int32> = 0...8
    /// 0x7fffffff: the country has no levels, or doesn't share them.
    package static let unset = FederatedRiskLevel(known: Int32.max)
}
