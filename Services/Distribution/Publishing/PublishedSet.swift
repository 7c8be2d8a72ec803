import ExposureKeys
import Foundation
import PublishedTree

/// An hour that was published: of keys and of reports everything that was waiting, or nothing.
struct PublishedHour: Sendable, Equatable {
    let hour: Hour
    let keys: Int
    var reports = 0
}

/// Which packages and indexes the tree must have, given the hours that were published (Corona-Warn-App sheet, 5.1).
struct PublishedSet: Sendable {
    /// Those of hours, then those of days, each in order.
    private(set) var keyPackages: [KeyPackage] = []
    /// From the oldest hour that has reports to the latest, with those in between that have none.
    private(set) var reportHours: [ReportHour] = []

    /// For how many days the tree keeps a day's package and an hour's reports, and for how many hours an hour's package
    /// (Corona-Warn-App sheet, 5.9).
    static let daysKept = 14
    static let hoursKept = 48

    /// - Parameter hours: in order, without gaps.
    init(hours published: [PublishedHour]) {
        guard let last = published.last?.hour else { return }
        let today = last.advanced(by: 1).day
        let released = Self.released(published, \.keys)
        let hours = published.filter { $0.hour > last.advanced(by: -Self.hoursKept) }
        // A day is published when its last hour is; today never.
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

    /// Without packages that can't be had. Their indexes don't name them either.
    mutating func leaveOut(_ window: KeyPackage.Window) {
        keyPackages.removeAll { $0.window == window }
    }

    /// Without an hour's reports, and so without everything before it: phones ask for every hour from the oldest on.
    mutating func leaveOutReports(through hour: Hour) {
        reportHours.removeAll { $0.hour <= hour }
        reportHours.removeFirst(reportHours.firstIndex { $0.reports > 0 } ?? reportHours.count)
    }

    /// For each hour that took something: what was released after the filled hour before it.
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

    /// The JSON indexes, innermost first, so that whatever an index names is there before it.
    /// - Parameters:
    ///   - regions: those for which keys are published.
    ///   - origin: the one for which reports are.
    ///   - configured: those that have a configuration of their own.
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
        // Visits in the clear, which version 1 of the tree would have, aren't published; its index says that there are none.
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

/// What was released after one hour (nil: from the beginning), up to and including another.
struct ReleaseRange: Sendable, Equatable {
    let after: Hour?
    let through: Hour

    /// Both, and what lies between them.
    func joined(with later: ReleaseRange) -> ReleaseRange { ReleaseRange(after: after, through: later.through) }
}
