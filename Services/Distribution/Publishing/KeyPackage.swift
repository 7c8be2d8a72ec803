import ExposureFormat
import ExposureKeys
import FoundationEssentials
import PublishedTree

/// The keys of an hour or a day, as they are published: a package for each region.
struct KeyPackage: Sendable {
    /// The window that a package covers.
    enum Window: Hashable, Sendable {
        case hour(Hour)
        case day(Day)

        var hour: Hour? { if case .hour(let hour) = self { hour } else { nil } }
        var day: Day? { if case .day(let day) = self { day } else { nil } }

        var hours: Range<Hour> {
            switch self {
            case .hour(let hour): hour..<hour.advanced(by: 1)
            case .day(let day): day.firstHour..<day.lastHour.advanced(by: 1)
            }
        }
    }

    let window: Window
    /// The hours that took its keys, in order.
    private(set) var hours: [FilledHour] = []

    init(window: Window, hours: [FilledHour] = []) {
        self.window = window
        self.hours = hours
    }

    /// Which home keys it holds; nil if its hours took none.
    var home: ReleaseRange? { ReleaseRange(joining: hours.compactMap(\.home)) }
    /// Which foreign keys it holds; nil if its hours took none.
    var foreign: ReleaseRange? { ReleaseRange(joining: hours.compactMap(\.foreign)) }
    /// The number of its keys.
    var keys: Int { hours.map(\.published.keys).reduce(0, +) }

    /// Whether it holds keys that must be published no longer.
    func hasExpiredKeys(at instant: Date) -> Bool { hours.contains { $0.published.hasExpiredKeys(at: instant) } }

    /// Corrects the counts of its hours after its keys were read.
    mutating func count(home: KeyCounts, foreign: KeyCounts) {
        for (index, hour) in hours.enumerated() {
            if let range = hour.home { hours[index].published.home?.keep(home.total(in: range)) }
            if let range = hour.foreign { hours[index].published.foreign?.keep(foreign.total(in: range)) }
        }
    }

    static let countries = TreeKey("version/v1/diagnosis-keys/country")

    static func dates(of region: String) -> TreeKey { countries / region / "date" }

    /// The key of one of the package's files. Further batches have a suffix: the second of `hour/13` is `hour/13.2`.
    func key(region: String, batch: Batch = .only) -> TreeKey {
        let dates = Self.dates(of: region)
        let suffix = batch.number == 1 ? "" : ".\(batch.number)"
        return switch window {
        case .hour(let hour): dates / hour.day.name / "hour" / "\(hour.ofDay)\(suffix)"
        case .day(let day): dates / "\(day.name)\(suffix)"
        }
    }

    /// How many files it has in each region, with at most `limit` keys in each. So many are enough for all keys; a region that has
    /// only some of them has smaller files, and nobody needs to know how many.
    func fileCount(keysPerFile limit: Int) -> Int { KeySet.batchCount(for: keys, atMost: limit) }

    /// The package's files, with at most `keysPerFile` keys in each.
    func files(regions: [String], keysPerFile: Int) -> [KeyFile] {
        let size = Int32(clamping: fileCount(keysPerFile: keysPerFile))
        return regions.flatMap { region in
            (1...size).compactMap { Batch(number: $0, size: size) }
                .map { KeyFile(region: region, batch: $0, key: key(region: region, batch: $0)) }
        }
    }
}

/// An hour that took keys.
struct FilledHour: Sendable {
    var published: PublishedHour
    /// Which home keys it took; nil for none.
    let home: ReleaseRange?
    /// Which foreign keys it took; nil for none.
    let foreign: ReleaseRange?
}

/// One file of a package.
struct KeyFile: Sendable {
    let region: String
    let batch: Batch
    let key: TreeKey

    /// The header of the file.
    func header(of package: KeyPackage) -> ExportHeader {
        ExportHeader(hours: package.window.hours, region: region, batch: batch)
    }
}

/// An hour between the oldest and the latest hour with check-in reports; it may have none itself.
struct ReportHour: Sendable {
    let hour: Hour
    /// Which reports it has; nil if it has none.
    let released: ReleaseRange?
    /// The number of reports when the package was first built.
    let reports: Int

    func key(origin: String) -> TreeKey { TreeKey("version/v2/twp/country") / origin / "hour" / hour.number }
}
