import ExposureFormat
import ExposureKeys
import FoundationEssentials
import ObjectStore
import PublishedTree
import Running
import StrictJSON
import VenueEventFormat
import Venues

/// Checks a whole published tree, given nothing but the format and the public keys.
struct VerifyTree: Sendable {
    let tree: any TreeStore
    /// The keys of which at least one must have signed each archive.
    let publicKeys: [VerificationKey]
    /// The minimum number of reports in a file that isn't empty, and of keys in the newest hour's largest package: older ones may have
    /// lost keys, and other regions have only some of an hour's keys.
    let minimum: Int
    /// When the tree was written: no key may have expired by then.
    let instant: Date

    /// The tree's content and its flaws.
    struct Verdict: Sendable, Equatable {
        var objects = 0
        var days = 0
        var hours = 0
        var reportHours = 0
        var venueBundles = 0
        /// Of trace keys.
        var traceKeyLists = 0
        var otherArchives = 0
        /// Each a sentence that begins with a path.
        var flaws: [String] = []
    }

    func verdict(progress: ProgressBar = .hidden) async throws -> Verdict {
        var check = TreeCheck(verify: self, objects: Set(try await tree.objects().keys))
        return try await check.run(progress)
    }
}

/// The check of one tree.
private struct TreeCheck {
    let verify: VerifyTree
    let objects: Set<TreeKey>
    /// Objects that an index names, or that need no index.
    private var named: Set<TreeKey> = []
    private var verdict = VerifyTree.Verdict()
    /// The package of each region's newest hour, with the number of its keys.
    private var newest: [(package: TreeKey, hour: Hour, keys: Int)] = []

    init(verify: VerifyTree, objects: Set<TreeKey>) {
        self.verify = verify
        self.objects = objects
        verdict.objects = objects.count
    }

    mutating func run(_ progress: ProgressBar) async throws -> VerifyTree.Verdict {
        progress.begin("Objects", total: objects.count)
        try await names(TreeKey("version"), are: ["v1"])
        try await names(TreeKey("version/index-v2"), are: ["v2"])
        let regions: [String] = try await index(KeyPackage.countries) ?? []
        for region in regions { try await checkKeys(of: region, progress) }
        checkNewestHour()
        for version in ["v1", "v2"] { try await checkReports(TreeKey("version") / version / "twp/country", progress) }
        try await checkVenueReports(progress)
        try await checkVenueEvents()
        try await checkTraceKeys()
        try await checkOtherArchives(progress)
        for key in objects.subtracting(named).sorted() { complain(key, "no index names it") }
        progress.finish()
        return verdict
    }

    private mutating func checkTraceKeys() async throws {
        let check = try await TraceKeyCheck(verify)
        named.formUnion(check.named)
        verdict.traceKeyLists = check.lists
        for (key, flaw) in check.flaws { complain(key, flaw) }
    }

    private mutating func complain(_ key: TreeKey, _ flaw: String) { verdict.flaws.append("\(key.path): \(flaw).") }

    // MARK: Indexes

    /// An index's content; nil, with a complaint, if it is missing or damaged.
    private mutating func index<Content: Decodable>(_ key: TreeKey) async throws -> Content? {
        named.insert(key)
        guard let content = try await verify.tree.read(key) else {
            complain(key, "it is missing")
            return nil
        }
        guard let decoded = try? StrictJSON.decode(Content.self, from: Data(content)) else {
            complain(key, "it is damaged")
            return nil
        }
        return decoded
    }

    private mutating func names(_ key: TreeKey, are expected: [String]) async throws {
        if let found: [String] = try await index(key), found != expected {
            complain(key, "it doesn't have the expected names")
        }
    }

    // MARK: Keys

    private mutating func checkKeys(of region: String, _ progress: ProgressBar) async throws {
        let dates = KeyPackage.dates(of: region)
        let days = (try await index(dates) as [String]?) ?? []
        if days != days.sorted() || Set(days).count != days.count { complain(dates, "it isn't sorted") }
        var ofDays: [Day: Set<KeyData>] = [:]
        for name in days {
            guard let day = Day(name: name) else {
                complain(dates, "\(name) is no day")
                continue
            }
            verdict.days += 1
            let package = KeyPackage(window: .day(day))
            ofDays[day] = try await keys(of: package, region, progress)
        }
        var hours: [Hour] = []
        for index in objects.filter({ $0.kind == .index && $0.path.hasPrefix(dates.path + "/") }).sorted() {
            let name = index.path.dropFirst(dates.path.count + 1).dropLast("/hour".count)
            guard let day = Day(name: name) else {
                complain(index, "its folder is no day")
                continue
            }
            let ofDay = (try await self.index(index) as [Int]?) ?? []
            if ofDay != ofDay.sorted() || !ofDay.allSatisfy({ (0...23).contains($0) }) {
                complain(index, "it isn't sorted")
            }
            hours += ofDay.map { day.firstHour.advanced(by: $0) }
        }
        var ofHours: [Hour: Set<KeyData>] = [:]
        for hour in hours {
            verdict.hours += 1
            ofHours[hour] = try await keys(of: KeyPackage(window: .hour(hour)), region, progress)
        }
        if let hour = hours.max(), let keys = ofHours[hour]?.count {
            newest.append((KeyPackage(window: .hour(hour)).key(region: region), hour, keys))
        }
        checkRepetition(ofDays.sorted { $0.key < $1.key }.map { (dates / $0.key.name, $0.value) })
        checkRepetition(
            ofHours.sorted { $0.key < $1.key }.map { (dates / $0.key.day.name / "hour" / $0.key.ofDay, $0.value) })
        for (day, keys) in ofDays {
            let hours = ofHours.filter { $0.key.day == day }.values
            if hours.count == 24, hours.reduce(into: Set(), { $0.formUnion($1) }) != keys {
                complain(dates / day.name, "its keys differ from those of its hours")
            }
        }
    }

    private mutating func checkNewestHour() {
        guard let hour = newest.map(\.hour).max() else { return }
        let keys = newest.filter { $0.hour == hour }.map(\.keys).max() ?? 0
        guard keys > 0, keys < verify.minimum else { return }
        for package in newest where package.hour == hour && package.keys == keys {
            complain(package.package, "it has \(keys) keys, fewer than \(verify.minimum)")
        }
    }

    private mutating func checkRepetition(_ sets: [(TreeKey, Set<KeyData>)]) {
        var seen: Set<KeyData> = []
        for (key, keys) in sets {
            if !seen.isDisjoint(with: keys) { complain(key, "it repeats a key of an earlier package") }
            seen.formUnion(keys)
        }
    }

    /// The keys of all batches of a package.
    private mutating func keys(
        of package: KeyPackage, _ region: String, _ progress: ProgressBar
    ) async throws -> Set<KeyData> {
        var keys: Set<KeyData> = []
        var count = 0
        var last = Batch.only
        repeat {
            let key = package.key(region: region, batch: last)
            named.insert(key)
            progress.advance()
            guard let archive = try await archive(key) else { return keys }
            guard let export = try? ExportArchive(archive) else {
                complain(key, "it is no key export")
                return keys
            }
            let expected = ExportHeader(
                hours: package.window.hours, region: region, batch: last.number == 1 ? export.header.batch : last)
            if export.header != expected { complain(key, "its header doesn't fit its path") }
            if archive.signatures.contains(where: { $0.batch != export.header.batch }) {
                complain(key, "its signature is for another batch")
            }
            if !export.isInPublishedOrder { complain(key, "its keys aren't sorted, or it has a duplicate") }
            if export.keys.contains(where: { $0.rollingPeriod.hasExpired(at: verify.instant) }) {
                complain(key, "it has a key whose period ended more than \(RollingPeriod.daysKept) days ago")
            }
            count += export.keys.count
            keys.formUnion(export.keys.map(\.data))
            guard let next = Batch(number: last.number + 1, size: export.header.batch.size) else { break }
            last = next
        } while true
        if keys.count != count { complain(package.key(region: region), "it has a duplicate key") }
        return keys
    }

    /// An archive with a valid signature; nil, with a complaint, for anything else.
    private mutating func archive(_ key: TreeKey) async throws -> SignedArchive? {
        guard let content = try await verify.tree.read(key) else {
            complain(key, "an index names it, but it is missing")
            return nil
        }
        do throws(ArchiveDamage) {
            let archive = try SignedArchive.read(content)
            try archive.requireSignature(of: verify.publicKeys)
            return archive
        } catch {
            complain(key, "\(String(describing: error).dropLast(1))")
            return nil
        }
    }

    // MARK: Check-in reports

    private mutating func checkReports(_ countries: TreeKey, _ progress: ProgressBar) async throws {
        for region in (try await index(countries) as [String]?) ?? [] {
            let hours = countries / region / "hour"
            let bounds = (try await index(hours) as [String: Int32?]?) ?? [:]
            guard let oldest = bounds["oldest"] ?? nil, let latest = bounds["latest"] ?? nil else { continue }
            guard oldest <= latest, latest - oldest <= 15 * 24 else {
                complain(hours, "its bounds are impossible")
                continue
            }
            var seen: Set<CheckInReport> = []
            for number in oldest...latest {
                let key = hours / number
                named.insert(key)
                progress.advance()
                verdict.reportHours += 1
                let isEmpty = try await verify.tree.read(key)?.isEmpty ?? false
                if isEmpty, number != oldest, number != latest { continue }
                guard let archive = try await archive(key) else { continue }
                guard let package = ReportPackage(archive.export) else {
                    complain(key, "it is no package of check-in reports")
                    continue
                }
                let expected = ReportPackage(hour: Hour(number: number), region: region, reports: package.reports)
                if package != expected { complain(key, "its content doesn't fit its path, or isn't sorted") }
                if package.reports.count < verify.minimum {
                    complain(key, "it has \(package.reports.count) reports, fewer than \(verify.minimum)")
                }
                if !seen.isDisjoint(with: package.reports) || Set(package.reports).count != package.reports.count {
                    complain(key, "it repeats a report")
                }
                seen.formUnion(package.reports)
            }
        }
    }

    // MARK: Venue reports

    private struct VenueBounds: Decodable {
        let oldest: Int32?
        let latest: Int32?
        let hours: Int32
    }

    private mutating func checkVenueReports(_ progress: ProgressBar) async throws {
        guard let bounds: VenueBounds = try await index(VenueBundle.index) else { return }
        let step = Int32(VenueReportPackage.hours)
        if bounds.hours != step { complain(VenueBundle.index, "its bundles have another length") }
        guard let oldest = bounds.oldest, let latest = bounds.latest else { return }
        guard oldest <= latest, latest - oldest <= 15 * 24, oldest % step == 0, latest % step == 0 else {
            return complain(VenueBundle.index, "its bounds are impossible")
        }
        var seen: Set<VenueReport> = []
        for number in stride(from: oldest, through: latest, by: Int(step)) {
            let key = VenueBundle(firstHour: Hour(number: number), reports: 0).key
            named.insert(key)
            progress.advance()
            verdict.venueBundles += 1
            guard let content = try await verify.tree.read(key) else {
                complain(key, "an index names it, but it is missing")
                continue
            }
            do throws(ArchiveDamage) {
                let package = try VenueReportPackage(reading: content, signedBy: verify.publicKeys)
                if package.firstHour.number != number { complain(key, "its content doesn't fit its path") }
                if !seen.isDisjoint(with: package.reports) { complain(key, "it repeats a report") }
                seen.formUnion(package.reports)
            } catch {
                complain(key, "\(String(describing: error).dropLast(1))")
            }
        }
    }

    // MARK: Venue events

    /// Tracers' events: the signed file, and two lists that say the same.
    private mutating func checkVenueEvents() async throws {
        guard !objects.isDisjoint(with: VenueEventFiles.keys) else { return }
        named.formUnion(VenueEventFiles.keys)
        guard let archive = try await archive(VenueEventFiles.signed) else { return }
        guard let published = PublishedVenueEvents(archive.export) else {
            return complain(VenueEventFiles.signed, "it has no venue events")
        }
        if published.records.contains(where: { $0.window.hasExpired(at: verify.instant) }) {
            complain(VenueEventFiles.signed, "it has an event that ended more than \(VenueWindow.daysKept) days ago")
        }
        for (key, expected) in [
            (VenueEventFiles.newZealand, try NewZealandExposureEvents(published).bytes),
            (VenueEventFiles.riskyVenues, try RiskyVenues(published).bytes),
        ] {
            guard let found = try await verify.tree.read(key) else {
                complain(key, "it is missing")
                continue
            }
            if found != expected { complain(key, "it differs from the signed events") }
        }
    }

    // MARK: Other archives

    /// Configuration and the like: signed, and not named by an index, except for the list of countries.
    private mutating func checkOtherArchives(_ progress: ProgressBar) async throws {
        for key in objects.filter({ $0.kind == .archive }).sorted() where !named.contains(key) {
            named.insert(key)
            progress.advance()
            verdict.otherArchives += 1
            _ = try await archive(key)
        }
        let countries = TreeKey("version/v1/configuration/country")
        let configured = Set(
            objects.compactMap { key -> String? in
                guard key.path.hasPrefix(countries.path + "/") else { return nil }
                return key.path.dropFirst(countries.path.count + 1).split(separator: "/").first.map(String.init)
            })
        if objects.contains(countries) || !configured.isEmpty {
            try await names(countries, are: configured.sorted())
        }
    }
}
