import ExposureKeys
import Foundation
import PublishedTree

/// A published hour: it took all waiting keys or none, and all waiting reports or none.
struct PublishedHour: Sendable, Equatable {
    let hour: Hour
    let keys: Int
    var reports = 0
}

/// The packages and indexes that the tree must have, given the published hours.
///
/// The paths are Corona-Warn-App's: https://github.com/corona-warn-app/cwa-server/blob/main/docs/DISTRIBUTION.md
struct PublishedSet: Sendable {
    /// Packages of hours, then of days, each in order.
    private(set) var keyPackages: [KeyPackage] = []
    /// From the oldest hour with reports to the latest, including hours in between without reports.
    private(set) var reportHours: [ReportHour] = []

    /// How many days the tree keeps a day's package and an hour's reports, and how many hours it keeps an hour's package, as
    /// Corona-Warn-App's object store does.
    static let daysKept = 14
    static let hoursKept = 48

    /// - Parameter hours: in order, without gaps.
    init(hours published: [PublishedHour]) {
        guard let last = published.last?.hour else { return }
        let today = last.advanced(by: 1).day
        let released = Self.released(published, \.keys)
        let hours = published.filter { $0.hour > last.advanced(by: -Self.hoursKept) }
        // A day is published with its last hour.
        let days = Set(published.map(\.hour.day)).filter {
            $0.lastHour <= last && $0 >= today.advanced(by: -Self.daysKept)
        }.sorted()
        keyPackages =
            hours.map { KeyPackage(window: .hour($0.hour), released: released[$0.hour], keys: $0.keys) }
            + days.map { day in
                let filled = published.filter { $0.hour.day == day && $0.keys > 0 }
                let range = filled.compactMap { released[$0.hour] }.reduce(nil) { $0?.joined(with: $1) ?? $1 }
                return KeyPackage(window: .day(day), released: range, keys: filled.map(\.keys).reduce(0, +))
            }

        let releasedReports = Self.released(published, \.reports)
        let kept = published.filter { $0.hour > last.advanced(by: -Self.daysKept * 24) }
        guard let oldest = kept.first(where: { $0.reports > 0 })?.hour,
            let latest = kept.last(where: { $0.reports > 0 })?.hour
        else { return }
        reportHours = kept.filter { (oldest...latest).contains($0.hour) }
            .map { ReportHour(hour: $0.hour, released: releasedReports[$0.hour], reports: $0.reports) }
    }

    /// Drops a package that can't be rebuilt; the indexes won't name it.
    mutating func leaveOut(_ window: KeyPackage.Window) {
        keyPackages.removeAll { $0.window == window }
    }

    /// Drops the reports of an hour and of all hours before it: phones request every hour from the oldest on.
    mutating func leaveOutReports(through hour: Hour) {
        reportHours.removeAll { $0.hour <= hour }
        reportHours.removeFirst(reportHours.firstIndex { $0.reports > 0 } ?? reportHours.count)
    }

    /// For each hour that took anything: the range released since the previous hour that took anything.
    private static func released(
        _ published: [PublishedHour], _ count: (PublishedHour) -> Int
    ) -> [Hour: ReleaseRange] {
        var released: [Hour: ReleaseRange] = [:]
        var lastFilled: Hour?
        for published in published where count(published) > 0 {
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

    /// The range from the start of this one to the end of a later one.
    func joined(with later: ReleaseRange) -> ReleaseRange { ReleaseRange(after: after, through: later.through) }
}
