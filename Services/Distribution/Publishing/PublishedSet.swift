import ExposureFormat
import ExposureKeys
import Foundation
import PublishedTree

/// A published hour: it took all waiting keys or none, and all waiting reports or none.
struct PublishedHour: Sendable, Equatable {
    let hour: Hour
    /// How many of the keys that it took haven't expired.
    private(set) var keys: Int
    /// The earliest end of their periods; nil if it took no keys. It stays when no key is left.
    private(set) var firstEnd: IntervalNumber?
    var reports = 0

    var tookKeys: Bool { firstEnd != nil }

    /// Whether its packages hold keys that must be published no longer.
    func hasExpiredKeys(at instant: Date) -> Bool {
        keys > 0 && firstEnd.map { RollingPeriod.hasExpired(endingWith: $0, at: instant) } ?? false
    }

    /// Leaves only some of its keys.
    mutating func keep(_ left: KeyCount) {
        keys = left.keys
        firstEnd = left.firstEnd ?? firstEnd
    }
}

/// A number of keys, and the earliest end of their periods.
struct KeyCount: Sendable, Equatable {
    private(set) var keys = 0
    /// Nil without keys.
    private(set) var firstEnd: IntervalNumber?

    mutating func add(_ period: RollingPeriod) {
        keys += 1
        firstEnd = min(firstEnd ?? period.end, period.end)
    }

    static func + (left: KeyCount, right: KeyCount) -> KeyCount {
        KeyCount(
            keys: left.keys + right.keys, firstEnd: [left.firstEnd, right.firstEnd].compactMap { $0 }.min())
    }
}

/// The packages and indexes that the tree must have, given the published hours.
///
/// The paths are Corona-Warn-App's: https://github.com/corona-warn-app/cwa-server/blob/main/docs/DISTRIBUTION.md
struct PublishedSet: Sendable {
    /// Packages of hours, then of days, each in order.
    let keyPackages: [KeyPackage]
    /// From the oldest hour with reports to the latest, including hours in between without reports.
    private(set) var reportHours: [ReportHour] = []
    /// From the first with reports to the latest.
    private(set) var venueBundles: [VenueBundle] = []

    /// How many days the tree keeps a day's package and an hour's reports, and how many hours it keeps an hour's package, as
    /// Corona-Warn-App's object store does.
    static let daysKept = 14
    static let hoursKept = 48

    /// - Parameters:
    ///   - published: in order, without gaps.
    ///   - bundles: the bundles of venue reports that were decided.
    ///   - present: what time it is. If no hour was published for long, days are given up nevertheless: all keys in them have
    ///     expired, and the rows of their hours, which say so, are deleted.
    init(hours published: [PublishedHour], bundles: [VenueBundle] = [], at present: Date) {
        guard let last = published.last?.hour else {
            keyPackages = []
            return
        }
        let today = max(last.advanced(by: 1).day, Day(containing: present))
        let released = Self.released(published, where: \.tookKeys)
        let filled = published.compactMap { hour in
            released[hour.hour].map { FilledHour(published: hour, released: $0) }
        }
        let hours = published.map(\.hour).filter { $0 > last.advanced(by: -Self.hoursKept) }
        // A day is published with its last hour.
        let days = Set(published.map(\.hour.day)).filter {
            $0.lastHour <= last && $0 >= today.advanced(by: -Self.daysKept)
        }.sorted()
        keyPackages =
            hours.map { hour in
                KeyPackage(window: .hour(hour), hours: filled.filter { $0.published.hour == hour })
            }
            + days.map { day in
                KeyPackage(window: .day(day), hours: filled.filter { $0.published.hour.day == day })
            }

        let complete = Set(VenueBundle.complete(in: published))
        venueBundles = Array(bundles.filter { complete.contains($0.firstHour) }.drop { $0.reports == 0 })

        let releasedReports = Self.released(published) { $0.reports > 0 }
        let kept = published.filter { $0.hour > last.advanced(by: -Self.daysKept * 24) }
        guard let oldest = kept.first(where: { $0.reports > 0 })?.hour,
            let latest = kept.last(where: { $0.reports > 0 })?.hour
        else { return }
        reportHours = kept.filter { (oldest...latest).contains($0.hour) }
            .map { ReportHour(hour: $0.hour, released: releasedReports[$0.hour], reports: $0.reports) }
    }

    /// Drops the reports of an hour and of all hours before it: phones request every hour from the oldest on.
    mutating func leaveOutReports(through hour: Hour) {
        reportHours.removeAll { $0.hour <= hour }
        reportHours.removeFirst(reportHours.firstIndex { $0.reports > 0 } ?? reportHours.count)
    }

    /// Drops a bundle of venue reports and all before it.
    mutating func leaveOutVenueBundles(through hour: Hour) {
        venueBundles = Array(venueBundles.drop { $0.firstHour <= hour || $0.reports == 0 })
    }

    /// For each hour that took anything: the range released since the previous hour that took anything.
    private static func released(
        _ published: [PublishedHour], where tookAny: (PublishedHour) -> Bool
    ) -> [Hour: ReleaseRange] {
        var released: [Hour: ReleaseRange] = [:]
        var lastFilled: Hour?
        for published in published where tookAny(published) {
            released[published.hour] = ReleaseRange(after: lastFilled, through: published.hour)
            lastFilled = published.hour
        }
        return released
    }

    // MARK: Indexes

    /// The JSON indexes, innermost first, so that an index names only what exists.
    /// - Parameters:
    ///   - regions: the regions that keys are published for.
    ///   - origin: the country that reports are published for.
    ///   - configured: the countries that have a configuration of their own.
    func indexes(regions: [String], origin: String, configured: [String]) -> [(key: TreeKey, content: [UInt8])] {
        var indexes: [(key: TreeKey, content: [UInt8])] = []
        for region in regions {
            let dates = KeyPackage.dates(of: region)
            let hours = keyPackages.compactMap(\.window.hour)
            for day in Set(hours.map(\.day)).sorted() {
                let ofDay = hours.filter { $0.day == day }.map { String($0.ofDay) }
                indexes.append((dates / day.name / "hour", Self.list(ofDay)))
            }
            indexes.append((dates, Self.names(keyPackages.compactMap { $0.window.day?.name })))
        }
        indexes.append((KeyPackage.countries, Self.names(regions.sorted())))
        // Unencrypted check-ins, which version 1 of the tree is for, aren't published: its index is empty.
        for (version, oldest, latest) in [
            ("v1", nil, nil), ("v2", reportHours.first?.hour.number, reportHours.last?.hour.number),
        ] {
            let countries = TreeKey("version") / version / "twp/country"
            let bounds = "{\"oldest\":\(Self.number(oldest)),\"latest\":\(Self.number(latest))}"
            indexes.append((countries / origin / "hour", Array(bounds.utf8)))
            indexes.append((countries, Self.names([origin])))
        }
        let (oldest, latest) = (venueBundles.first?.firstHour.number, venueBundles.last?.firstHour.number)
        let bounds =
            "{\"oldest\":\(Self.number(oldest)),\"latest\":\(Self.number(latest)),\"hours\":\(VenueReportPackage.hours)}"
        indexes.append((VenueBundle.index, Array(bounds.utf8)))
        if !configured.isEmpty {
            indexes.append((TreeKey("version/v1/configuration/country"), Self.names(configured.sorted())))
        }
        indexes.append((TreeKey("version/index-v2"), Self.names(["v2"])))
        indexes.append((TreeKey("version"), Self.names(["v1"])))
        return indexes
    }

    private static func names(_ names: [String]) -> [UInt8] { list(names.map { "\"\($0)\"" }) }

    private static func number(_ number: Int32?) -> String { number.map(String.init) ?? "null" }

    private static func list(_ elements: [String]) -> [UInt8] {
        Array("[\(elements.joined(separator: ","))]".utf8)
    }
}

/// The releases after one hour (nil: from the beginning), up to and including another.
struct ReleaseRange: Sendable, Equatable {
    let after: Hour?
    let through: Hour

    func contains(_ release: Hour) -> Bool { release <= through && after.map { $0 < release } ?? true }
}
