import ExposureFormat
import ExposureKeys
import FoundationEssentials
import PublishedTree

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
        let home = Self.ranges(published) { $0.home?.through }
        let foreign = Self.ranges(published) { $0.foreign?.through }
        let filled = published.filter { $0.home != nil || $0.foreign != nil }.map {
            FilledHour(published: $0, home: home[$0.hour], foreign: foreign[$0.hour])
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

        let releasedReports = Self.ranges(published) { $0.reports > 0 ? $0.hour : nil }
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

    /// For each hour that took anything: the range since the previous hour that took anything.
    /// - Parameter stored: the last hour of the fold or of the import that an hour took something of; nil if it took nothing.
    private static func ranges(
        _ published: [PublishedHour], through stored: (PublishedHour) -> Hour?
    ) -> [Hour: ReleaseRange] {
        var ranges: [Hour: ReleaseRange] = [:]
        var last: Release?
        for published in published {
            guard let stored = stored(published) else { continue }
            let through = Release(stored: stored, released: published.hour)
            ranges[published.hour] = ReleaseRange(after: last, through: through)
            last = through
        }
        return ranges
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
