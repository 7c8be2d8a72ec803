import ExposureFormat
import ExposureKeys

/// The keys of a package: home keys and foreign keys, which not every region has.
struct PackageKeys: Sendable {
    var home: [PublishedKey] = []
    var foreign = ForeignKeys()

    /// Regions that have the same keys.
    struct Share: Hashable {
        let hasHomeKeys: Bool
        /// The positions of their groups of foreign keys.
        let groups: [Int]
    }

    /// The regions by what they have of this package.
    func shares(of regions: Regions) -> [Share: [String]] {
        var shares: [Share: [String]] = [:]
        for (number, region) in regions.names.enumerated() {
            let share = Share(
                hasHomeKeys: !home.isEmpty && regions.hasHomeKeys(region),
                groups: foreign.groups.indices.filter { foreign.groups[$0].regions.contains(RegionSet(number)) })
            shares[share, default: []].append(region)
        }
        return shares
    }

    /// The keys of a share, in no order.
    func keys(of share: Share) -> [PublishedKey] {
        let groups = share.groups.map { foreign.groups[$0].keys }
        guard !groups.isEmpty else { return share.hasHomeKeys ? home : [] }
        var keys: [PublishedKey] = []
        keys.reserveCapacity((share.hasHomeKeys ? home.count : 0) + groups.map(\.count).reduce(0, +))
        if share.hasHomeKeys { keys += home }
        for group in groups { keys += group }
        return keys
    }

    /// Leaves out foreign keys that are home keys, too. The import and the fold see to it that there are none, but nothing in the
    /// tables does, and phones refuse a file that has a key twice.
    mutating func leaveOutDuplicates() {
        guard !home.isEmpty, foreign.count > 0 else { return }
        let foreignKeys = foreign.groups.map(\.keys).joined()
        var twice: Set<KeyData>
        if home.count < foreign.count {
            let known = Set(home.map(\.data))
            twice = Set(foreignKeys.lazy.map(\.data).filter(known.contains))
        } else {
            let known = Set(foreignKeys.map(\.data))
            twice = Set(home.lazy.map(\.data).filter(known.contains))
        }
        if !twice.isEmpty { foreign.leaveOut(twice) }
    }
}

/// Keys of other countries, by the regions that have them.
struct ForeignKeys: Sendable {
    struct Group: Sendable {
        let regions: RegionSet
        fileprivate(set) var keys: [PublishedKey] = []
    }

    /// Each of other regions.
    private(set) var groups: [Group] = []
    private(set) var count = 0
    /// The positions of the groups.
    private var positions: [RegionSet: Int] = [:]

    mutating func add(_ key: PublishedKey, in regions: RegionSet) {
        let position = positions[regions] ?? groups.endIndex
        if position == groups.endIndex {
            groups.append(Group(regions: regions))
            positions[regions] = position
        }
        groups[position].keys.append(key)
        count += 1
    }

    fileprivate mutating func leaveOut(_ left: Set<KeyData>) {
        for index in groups.indices { groups[index].keys.removeAll { left.contains($0.data) } }
        count = groups.map(\.keys.count).reduce(0, +)
    }
}
