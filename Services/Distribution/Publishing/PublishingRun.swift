import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Logging
import Loop
import ObjectStore
import PublishedTree
import Running

/// One run: decides what each new hour takes, writes the packages that are new or must lose keys, then the indexes that name them,
/// and removes what is no longer offered.
///
/// A package's content depends only on the folded data, on the hours published before it, and on which keys have expired; and
/// signatures are kept. So a run that is repeated, or that was killed at any point, ends with the same bytes. It reads only new
/// data, and the packages that must lose keys or that the tree lost.
struct PublishingRun {
    let publisher: Publisher
    /// What time it is: keys that have expired by then are in no package.
    let present: Date
    let progress: ProgressBar
    private let inventory: TreeInventory
    /// The objects in the tree that are what was published.
    private var stored: [TreeKey: StoredObject]
    /// Those that this run wrote.
    private var written: Set<TreeKey> = []
    /// The objects that must be in the tree.
    private var wanted: Set<TreeKey> = []
    private var report = Publisher.Report()

    init(publisher: Publisher, present: Date, inventory: TreeInventory, progress: ProgressBar) {
        self.publisher = publisher
        self.present = present
        self.progress = progress
        self.inventory = inventory
        stored = inventory.intact
    }

    private var store: DistributionStore { publisher.store }

    /// - Parameter last: the last hour that may be published.
    mutating func publish(through last: Hour) async throws -> Publisher.Report {
        try await decide(through: last)
        let hours = try await store.publishedHours()
        report.lastHour = hours.last?.hour.number

        try await decideVenueBundles(in: hours)

        var published = PublishedSet(hours: hours, bundles: try await store.publishedVenueBundles(), at: present)
        try await writeKeys(of: published)
        try await writeReports(of: &published)
        try await writeVenueBundles(of: &published)
        try await writeStaticArchives()
        try await writeVenueEvents()
        try await writeTraceKeys()
        try await confirmWritten()
        // All packages exist now, so indexes may name them.
        let indexes = published.indexes(
            regions: publisher.regions.names, origin: publisher.origin, configured: configuredCountries)
        for index in indexes {
            let isWritten = try await write(index.content, to: index.key)
            if isWritten, !inventory.hides(index.content, at: index.key) { report.changedIndex = true }
        }
        try await store.noteDelay(at: publisher.packages.clock.now)
        // A database without hours isn't the one that this tree came from, or it lost its data.
        if !hours.isEmpty { try await removeUnwanted() }
        // From now on they are compared, too.
        try await store.record(
            stored.filter { key, _ in
                inventory.recorded[key] == nil && wanted.contains(key) && !written.contains(key)
            })
        return report
    }

    /// Looks whether the store has what it confirmed. What it doesn't list is read.
    private func confirmWritten() async throws {
        guard !written.isEmpty else { return }
        let (listed, recorded) = (try await publisher.tree.objects(), try await store.publishedObjects())
        var unkept: [TreeKey] = []
        for key in written {
            var found = listed[key]
            if found == nil, let content = try await publisher.tree.read(key) {
                found = StoredObject(size: content.count, md5: StoredObject.md5(of: content))
            }
            if let found, recorded[key].map(found.matches) ?? true { continue }
            unkept.append(key)
        }
        if let problem = UnkeptObjects(unkept) { throw problem }
    }

    // MARK: Deciding

    /// Decides for each new hour whether it takes everything that is waiting, or nothing if that is too little.
    ///
    /// Home keys, foreign keys and reports are decided separately.
    private mutating func decide(through last: Hour) async throws {
        guard let folded = try await store.foldedHours() else { return }
        // Before any foreign key is read: what is complete now stays as it is.
        let imported = try await store.lastImportedHour()
        let published = try await store.publishedHours()
        var before = LastTaken(by: published)
        let first = published.last?.hour.advanced(by: 1) ?? folded.lowerBound
        let end = min(last, folded.upperBound)
        guard first <= end else { return }
        let enough = publisher.policy.minimumKeys
        progress.begin("Hours", total: first.distance(to: end) + 1)
        for hour in first...end {
            var keys = PackageKeys()
            var taken = PublishedHour(hour: hour)
            let home = ReleaseRange(after: before.home, through: hour)
            let read = try await store.keys(released: home, by: publisher.policy, at: present)
            if read.keys.count >= enough {
                taken.home = TakenKeys(through: hour, read.counts.total())
                keys.home = read.keys
            }
            let foreign = before.foreignRange(through: hour, imported: imported)
            if let foreign {
                let read = try await readForeign(foreign)
                if read.keys.count >= enough {
                    taken.foreign = TakenKeys(
                        through: foreign.through.stored, read.counts.total())
                    keys.foreign = read.keys
                }
            }
            let reports = try await store.reportCount(after: before.reports, through: hour)
            if reports >= enough { taken.reports = reports }
            try await store.insert(taken)
            before.add(taken)
            // No later hour is folded, so this covers all keys.
            if hour == folded.upperBound { report.waiting = taken.home == nil ? read.later + read.waiting : read.later }
            report.newHours += 1
            report.newKeys += taken.home?.count ?? 0
            report.newForeignKeys += taken.foreign?.count ?? 0
            report.newReports += taken.reports
            // Written now, the keys needn't be read again.
            if hour > end.advanced(by: -PublishedSet.hoursKept) {
                let filled = FilledHour(
                    published: taken, home: taken.home == nil ? nil : home,
                    foreign: taken.foreign == nil ? nil : foreign)
                try await write(keys, of: KeyPackage(window: .hour(hour), hours: [filled]))
            }
            progress.advance()
        }
    }

    private func readForeign(_ range: ReleaseRange) async throws -> ReleasedForeignKeys {
        try await store.foreignKeys(released: range, in: publisher.regions, by: publisher.policy, at: present)
    }

    /// Writes down how many venue reports each new bundle has, before anybody can see it.
    private mutating func decideVenueBundles(in published: [PublishedHour]) async throws {
        let known = Set(try await store.publishedVenueBundles().map(\.firstHour))
        for hour in VenueBundle.complete(in: published) where !known.contains(hour) {
            let hours = VenueBundle(firstHour: hour, reports: 0).hours
            let bundle = VenueBundle(firstHour: hour, reports: try await store.venueReportCount(in: hours))
            try await store.insert(bundle)
            report.newVenueReports += bundle.reports
        }
    }

    // MARK: Packages

    /// Writes the packages that the tree lacks, and anew those that hold expired keys.
    ///
    /// A package that loses keys may have fewer than the minimum: those that remain were published among enough.
    /// The database learns of it last, so that the next run repeats what a killed one left.
    private mutating func writeKeys(of published: PublishedSet) async throws {
        var changed: [Hour: PublishedHour] = [:]
        progress.begin("Packages", total: published.keyPackages.count)
        for var package in published.keyPackages {
            defer { progress.advance() }
            let isOutdated = package.hasExpiredKeys(at: present)
            if isOutdated || files(of: package).contains(where: { stored[$0.key] == nil }) {
                var home = ReleasedKeys()
                if let range = package.home {
                    home = try await store.keys(released: range, by: publisher.policy, at: present)
                }
                var foreign = ReleasedForeignKeys()
                if let range = package.foreign { foreign = try await readForeign(range) }
                package.count(home: home.counts, foreign: foreign.counts)
                try await write(
                    PackageKeys(home: home.keys, foreign: foreign.keys), of: package, anew: isOutdated)
                for hour in package.hours { changed[hour.published.hour] = hour.published }
            }
            wanted.formUnion(files(of: package).map(\.key))
        }
        try await store.update(changed.values.sorted { $0.hour < $1.hour })
    }

    private func files(of package: KeyPackage) -> [KeyFile] {
        package.files(regions: publisher.regions.names, keysPerFile: publisher.keysPerFile)
    }

    /// Writes the missing files of a package, or all that aren't current. One that isn't what was published is missing.
    ///
    /// A package that exists stays until a key expires, also if a restored database no longer knows all of its keys.
    private mutating func write(_ keys: PackageKeys, of package: KeyPackage, anew: Bool = false) async throws {
        let needed = files(of: package).filter { anew || stored[$0.key] == nil }
        guard !needed.isEmpty else { return }
        let writer = KeyFileWriter(publisher: publisher, package: package, files: needed, stored: stored)
        for (key, size) in try await writer.write(keys) { note(key, size: size) }
    }

    private mutating func writeReports(of published: inout PublishedSet) async throws {
        var lost: [Hour] = []
        progress.begin("Check-in reports", total: published.reportHours.count)
        for hour in published.reportHours {
            defer { progress.advance() }
            let key = hour.key(origin: publisher.origin)
            if stored[key] == nil {
                var archive: [UInt8] = []
                if let range = hour.released {
                    let reports = try await store.reports(after: range.after?.stored, through: range.through.stored)
                    guard reports.count == hour.reports else {
                        lost.append(hour.hour)
                        continue
                    }
                    let package = ReportPackage(hour: hour.hour, region: publisher.origin, reports: reports)
                    archive = try await publisher.packages.build(package.encoded())
                }
                try await publisher.tree.write(archive, to: key)
                note(key, size: archive.count)
            }
        }
        if let last = lost.last { published.leaveOutReports(through: last) }
        wanted.formUnion(published.reportHours.map { $0.key(origin: publisher.origin) })
        warn(ofLost: lost.count)
    }

    /// Writes the bundles of venue reports that the tree lacks.
    private mutating func writeVenueBundles(of published: inout PublishedSet) async throws {
        var lost: [Hour] = []
        progress.begin("Venue reports", total: published.venueBundles.count)
        for bundle in published.venueBundles {
            defer { progress.advance() }
            guard stored[bundle.key] == nil else { continue }
            let reports = try await store.venueReports(in: bundle.hours)
            guard reports.count == bundle.reports else {
                lost.append(bundle.firstHour)
                continue
            }
            let file = try await publisher.packages.build(
                VenueReportPackage(containing: bundle.firstHour, reports: reports))
            try await publisher.tree.write(file, to: bundle.key)
            note(bundle.key, size: file.count)
        }
        if let last = lost.last { published.leaveOutVenueBundles(through: last) }
        wanted.formUnion(published.venueBundles.map(\.key))
        warn(ofLost: lost.count)
    }

    private func warn(ofLost packages: Int) {
        guard packages > 0 else { return }
        publisher.logger.warning(
            "lost packages can't be rebuilt and are no longer offered", metadata: ["packages": "\(packages)"])
    }

    // MARK: Static archives and indexes

    /// Publishes the folder of static files.
    ///
    /// If a file is invalid, or a folder can't be read, the previous archives stay: neither may keep keys from phones.
    private mutating func writeStaticArchives() async throws {
        guard let folder = publisher.staticFolder else { return }
        let files: StaticFiles
        do {
            let lowest = publisher.policy.lowestLevel
            let origin = publisher.origin
            files = try await Blocking.run {
                try StaticFiles(in: folder, publishingFrom: lowest, of: origin)
            }
        } catch let problem as StaticFiles.FolderProblem {
            publisher.logger.error(
                "static files can't be read; published archives stay",
                metadata: ["folder": "\(problem.folder)"])
            report.refused = [StaticFileProblem(problem)]
            return wanted.formUnion(inventory.keys.filter { $0.kind == .archive })
        }
        progress.begin("Static archives", total: files.archives.count)
        for archive in files.archives {
            try await write(publisher.packages.build(archive.export), to: TreeKey(archive.path))
            progress.advance()
        }
        for problem in files.problems {
            publisher.logger.error(
                "invalid static file; its published archive stays",
                metadata: ["file": "\(problem.file)", "reasons": "\(problem.reasons.joined(separator: " "))"])
            // The archive of a file, or all archives below a folder.
            let path = problem.file.replacing(/\.(json|bin)$/, with: "")
                .replacing("/\(StaticFileName.origin)/", with: "/\(publisher.origin)/")
            wanted.formUnion(
                inventory.keys.filter { key in
                    key.kind == .archive && (key.path == path || key.path.hasPrefix(problem.file + "/"))
                })
        }
        report.refused = files.problems
        report.notices = files.notices
    }

    /// Writes tracers' events, so that a lost tree is whole after one run. They have a schedule of their own (``PublishVenueEvents``),
    /// and if they can't be published, keys are.
    private mutating func writeVenueEvents() async throws {
        wanted.formUnion(VenueEventFiles.keys)
        do {
            let published = try await store.venueEvents(at: present)
            for (key, content) in try await VenueEventFiles(published, signedBy: publisher.packages).contents {
                try await write(content, to: key)
            }
        } catch let problem as UnreadableVenueEvents {
            publisher.logger.error(
                "venue events can't be published; those that are published stay",
                metadata: ["reason": "\(problem.description)"])
        }
    }

    /// Writes the lists of trace keys, which change every two hours.
    private mutating func writeTraceKeys() async throws {
        let keys = try await store.traceKeys()
        for (key, content) in try await TraceKeyFiles(keys, at: present, signedBy: publisher.packages).contents {
            try await write(content, to: key)
        }
    }

    /// The countries that have a configuration.
    private var configuredCountries: [String] {
        let countries = "version/v1/configuration/country/"
        let names = wanted.filter { $0.path.hasPrefix(countries) }.compactMap {
            $0.path.dropFirst(countries.count).split(separator: "/").first.map(String.init)
        }
        return Array(Set(names))
    }

    /// Writes an object that may change, unless its content is current.
    /// - Returns: whether it was written.
    @discardableResult
    private mutating func write(_ content: [UInt8], to key: TreeKey) async throws -> Bool {
        wanted.insert(key)
        if try await publisher.holds(content, at: key, stored[key]) { return false }
        try await publisher.tree.write(content, to: key)
        note(key, size: content.count)
        return true
    }

    private mutating func note(_ key: TreeKey, size: Int) {
        stored[key] = StoredObject(size: size)
        written.insert(key)
        report.changes += 1
        report.bytes += size
    }

    /// Removes indexes first, so that no index names a removed object. What was published leaves also if the store doesn't list it.
    private mutating func removeUnwanted() async throws {
        let unwanted = inventory.keys.union(written).subtracting(wanted).sorted()
        guard !unwanted.isEmpty else { return }
        try await publisher.tree.remove(
            unwanted.filter { $0.kind == .index } + unwanted.filter { $0.kind != .index })
        report.changes += unwanted.count
    }
}

extension Publisher {
    /// Whether the tree holds a content already.
    /// - Parameter stored: what the tree's listing says of the object; nil if there is none.
    func holds(_ content: [UInt8], at key: TreeKey, _ stored: StoredObject?) async throws -> Bool {
        guard let stored, stored.size == content.count else { return false }
        if let md5 = stored.md5 { return md5 == StoredObject.md5(of: content) }
        return try await tree.read(key) == content
    }
}
