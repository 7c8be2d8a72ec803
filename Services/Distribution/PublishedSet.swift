import ExposureKeys
import FoundationEssentials

/// An hour that was published: everything that was waiting, or nothing.
struct PublishedHour: Sendable, Equatable {
    let hour: Hour
    let keys: Int
}

/// Which packages and indexes the tree must have, given the hours that were published (Corona-Warn-App sheet, 5.1).
struct PublishedSet: Sendable {
    /// Those of hours, then those of days, each in order.
    private(set) var packages: [KeyPackage]

    /// - Parameters:
    ///   - hours: in order, without gaps.
    ///   - hoursKept: for how many hours an hour's package stays in the tree.
    ///   - daysKept: for how many days a day's package does.
    init(hours published: [PublishedHour], hoursKept: Int, daysKept: Int) {
        guard let last = published.last?.hour else {
            packages = []
            return
        }
        let today = last.advanced(by: 1).day
        let keptHours = published.filter { $0.hour > last.advanced(by: -hoursKept) }
        // A day is published when its last hour is; today never.
        let keptDays = Set(published.map(\.hour.day)).filter {
            $0.lastHour <= last && $0 >= today.advanced(by: -daysKept)
        }.sorted()
        let released = Self.released(published)
        packages =
            keptHours.map { KeyPackage(kind: .hour($0.hour), released: released[$0.hour], keys: $0.keys) }
            + keptDays.map { day in
                let filled = published.filter { $0.hour.day == day && $0.keys > 0 }
                let first = filled.first.flatMap { released[$0.hour] }
                let last = filled.last?.hour
                let range = first.flatMap { first in last.map { (after: first.after, through: $0) } }
                return KeyPackage(kind: .day(day), released: range, keys: filled.map(\.keys).reduce(0, +))
            }
    }

    /// The set without some packages, which its indexes don't name either.
    func without(_ missing: Set<KeyPackage.Kind>) -> PublishedSet {
        var remaining = self
        remaining.packages.removeAll { missing.contains($0.kind) }
        return remaining
    }

    /// For each hour that took keys: those that were released after the filled hour before it.
    private static func released(_ published: [PublishedHour]) -> [Hour: (after: Hour?, through: Hour)] {
        var released: [Hour: (after: Hour?, through: Hour)] = [:]
        var lastFilled: Hour?
        for published in published where published.keys > 0 {
            released[published.hour] = (lastFilled, published.hour)
            lastFilled = published.hour
        }
        return released
    }

    /// The JSON indexes, innermost first, so that whatever an index names is there before it.
    func indexes(regions: [String]) -> [(key: TreeKey, content: Data)] {
        let root = TreeKey("version/v1/diagnosis-keys/country")
        let hours = packages.compactMap(\.kind.hour)
        let days = packages.compactMap(\.kind.day)
        var indexes: [(key: TreeKey, content: Data)] = []
        for region in regions {
            let dates = root / region / "date"
            for day in Set(hours.map(\.day)).sorted() {
                let ofDay = hours.filter { $0.day == day }.map { String($0.ofDay) }
                indexes.append(((dates / day.name / "hour").index, Self.list(ofDay)))
            }
            indexes.append((dates.index, Self.list(days.map { "\"\($0.name)\"" })))
        }
        indexes.append((root.index, Self.list(regions.sorted().map { "\"\($0)\"" })))
        indexes.append((TreeKey("version").index, Self.list(["\"v1\""])))
        return indexes
    }

    private static func list(_ elements: [String]) -> Data {
        Data("[\(elements.joined(separator: ","))]".utf8)
    }
}

/// One archive of the tree.
struct KeyPackage: Sendable {
    enum Kind: Hashable, Sendable {
        case hour(Hour)
        case day(Day)

        var hour: Hour? { if case .hour(let hour) = self { hour } else { nil } }
        var day: Day? { if case .day(let day) = self { day } else { nil } }
    }

    let kind: Kind
    /// The keys it holds, by release: after one hour (nil: from the beginning), up to and including another. Nil when
    /// the package is empty.
    let released: (after: Hour?, through: Hour)?
    /// How many keys that were when the package was first built.
    let keys: Int

    /// The window that the package covers.
    var hours: Range<Hour> {
        switch kind {
        case .hour(let hour): hour..<hour.advanced(by: 1)
        case .day(let day): day.firstHour..<day.lastHour.advanced(by: 1)
        }
    }

    func key(region: String) -> TreeKey {
        let dates = TreeKey("version/v1/diagnosis-keys/country") / region / "date"
        return switch kind {
        case .hour(let hour): dates / hour.day.name / "hour" / String(hour.ofDay)
        case .day(let day): (dates / day.name).index
        }
    }
}
