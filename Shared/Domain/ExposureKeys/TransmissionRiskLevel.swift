/// The person's estimated infectiousness on the key's day, 1 (lowest) to 8 (highest).
package struct TransmissionRiskLevel: RawRepresentable, Codable, Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: Int

    /// Nil outside 1...8.
    package init?(rawValue: Int) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: Int) { self.rawValue = rawValue }

    /// All levels.
    package static let range = 1...8
    /// The level of a key whose days since onset aren't in the table.
    package static let lowest = TransmissionRiskLevel(known: 1)
    /// Keys below this level are stored but not published, as in Corona-Warn-App.
    package static let lowestPublished = TransmissionRiskLevel(known: 3)

    /// The level for a key that was uploaded without one, by table; ``lowest`` for values that aren't in the table.
    ///
    /// See
    /// https://github.com/corona-warn-app/cwa-server/blob/main/common/persistence/src/main/java/app/coronawarn/server/common/persistence/domain/normalization/DiagnosisKeyNormalizer.java
    package init(derivedFrom onset: DaysSinceOnset) {
        let column = Self.table.first { $0.days.contains(onset.rawValue) }
        rawValue = column.map { $0.levels[Int(onset.rawValue - $0.days.lowerBound)] } ?? Self.lowest.rawValue
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Runs of days since onset, each with the level of every day in it.
    private static let table: [(days: ClosedRange<Int32>, levels: [Int])] = [
        (-5...6, [2, 4, 6, 7, 8, 8, 8, 6, 5, 3, 2, 2]),
        (194...205, [2, 3, 5, 7, 8, 8, 8, 7, 5, 4, 3, 2]),
        (294...306, [3, 4, 5, 8, 8, 8, 7, 7, 6, 5, 3, 2, 2]),
        (393...404, [2, 4, 5, 7, 8, 8, 7, 6, 5, 4, 3, 2]),
        (492...504, [2, 3, 5, 6, 8, 8, 7, 7, 5, 4, 3, 2, 2]),
        (591...603, [2, 3, 4, 6, 7, 8, 7, 7, 6, 4, 4, 3, 2]),
        (690...703, [2, 3, 4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 2, 2]),
        (790...803, [2, 4, 5, 6, 7, 7, 7, 6, 5, 4, 3, 3, 2, 2]),
        (889...902, [2, 3, 4, 5, 6, 7, 7, 6, 5, 5, 4, 3, 2, 2]),
        (988...1002, [2, 3, 4, 5, 6, 6, 6, 6, 6, 5, 4, 3, 3, 2, 2]),
        (1087...1102, [2, 3, 4, 5, 5, 6, 6, 6, 5, 5, 4, 4, 3, 2, 2, 2]),
        (1186...1201, [2, 3, 4, 4, 5, 6, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2]),
        (1286...1301, [2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 4, 3, 3, 2, 2, 2]),
        (1386...1400, [3, 4, 5, 5, 5, 5, 5, 5, 5, 4, 4, 3, 3, 2, 2]),
        (1486...1500, [4, 4, 5, 5, 5, 5, 5, 4, 4, 4, 3, 3, 2, 2, 2]),
        (1586...1599, [4, 4, 5, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2]),
        (1686...1699, [4, 4, 5, 5, 4, 4, 4, 4, 4, 3, 3, 2, 2, 2]),
        (1786...1799, [4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 2, 2, 2]),
        (1992...2000, [2, 3, 5, 7, 8, 8, 8, 6, 5]),
        (2997...3000, [2, 3, 4, 4]),
        (3992...4000, [2, 3, 4, 6, 7, 7, 7, 6, 5]),
    ]
}

/// Days since onset of symptoms as the apps encode them, -15...4000.
///
/// -14...14 means that the onset is known; n × 100 + offset that it fell into a range; 2000 that there are symptoms of
/// unknown onset; 3000 no symptoms; 4000 no information. ``TransmissionRiskLevel`` names the source.
package struct DaysSinceOnset: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: Int32

    /// Nil outside -15...4000.
    package init?(rawValue: Int32) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// All values.
    package static let range: ClosedRange<Int32> = -15...4000

    /// The value for a key that was uploaded with a risk level only.
    package init(derivedFrom level: TransmissionRiskLevel) {
        rawValue = Self.byLevel[level.rawValue - 1]
    }

    private static let byLevel: [Int32] = [3986, 3992, 3993, 3994, 4000, 3995, 3996, 3997]
}
