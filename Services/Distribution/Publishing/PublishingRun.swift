import ExposureFormat
import ExposureKeys
import Logging
import NIOPosix
import ObjectStore
import PublishedTree
import Running

/// One run: decides what each new hour takes, writes the packages, then the indexes that name them, and removes what is no
/// longer offered.
///
/// A package's content depends only on the folded data and on the hours published before it, and signatures are kept. So a run
/// that is repeated, or that was killed at any point, ends with the same bytes. It reads only new data, unless the tree lost
/// objects.
struct PublishingRun {
    let publisher: Publisher
    let progress: ProgressBar
    /// The objects in the tree.
    private var present: [TreeKey: StoredObject]
    /// The objects that must be in the tree.
    private var wanted: Set<TreeKey> = []
    private var report = Publisher.Report()

    init(publisher: Publisher, present: [TreeKey: StoredObject], progress: ProgressBar) {
        self.publisher = publisher
        self.progress = progress
        self.present = present
    }

    private var store: DistributionStore { publisher.store }

    /// - Parameter last: the last hour that may be published.
    mutating func publish(through last: Hour) async throws -> Publisher.Report {
        try await decide(through: last)
        let hours = try await store.publishedHours()
        report.lastHour = hours.last?.hour.number

        var published = PublishedSet(hours: hours)
        try await writeKeys(of: &published)
        try await writeReports(of: &published)
        try await writeStaticArchives()
        // All packages exist now, so indexes may name them.
        let indexes = published.indexes(
            regions: publisher.regions, origin: publisher.origin, configured: configuredCountries)
        for index in indexes {
            let isNew = try await write(index.content, to: index.key)
            if isNew { report.changedIndex = true }
        }
        // A database without hours isn't the one that this tree came from, or it lost its data.
        if !hours.isEmpty { try await removeUnwanted() }
        return report
    }

    // MARK: Deciding

    /// Decides for each new hour whether it takes everything that is waiting, or nothing if that is too little.
    ///
    /// Keys and reports are decided separately.
    private mutating func decide(through last: Hour) async throws {
        guard let folded = try await store.foldedHours() else { return }
        let published = try await store.publishedHours()
        var lastKeys = published.last { $0.keys > 0 }?.hour
        var lastReports = published.last { $0.reports > 0 }?.hour
        let first = published.last?.hour.advanced(by: 1) ?? folded.lowerBound
        let end = min(last, folded.upperBound)
        guard first <= end else { return }
        let enough = publisher.policy.minimumKeys
        progress.begin("Hours", total: first.distance(to: end) + 1)
        for hour in first...end {
            let range = ReleaseRange(after: lastKeys, through: hour)
            let read = try await store.keys(released: range, by: publisher.policy)
            let keys = read.keys
            let reports = try await store.reportCount(after: lastReports, through: hour)
            let taken = PublishedHour(
                hour: hour, keys: keys.count >= enough ? keys.count : 0, reports: reports >= enough ? reports : 0)
            try await store.insert(taken)
            if taken.keys > 0 { lastKeys = hour }
            if taken.reports > 0 { lastReports = hour }
            // No later hour is folded, so this covers all keys.
            if hour == folded.upperBound { report.waiting = taken.keys > 0 ? read.later : read.later + read.waiting }
            report.newHours += 1
            report.newKeys += taken.keys
            report.newReports += taken.reports
            // Written now, the keys needn't be read again.
            if hour > end.advanced(by: -PublishedSet.hoursKept) {
                let package = KeyPackage(
                    window: .hour(hour), released: taken.keys > 0 ? range : nil, keys: taken.keys)
                try await write(taken.keys > 0 ? keys : [], of: package)
            }
            progress.advance()
        }
    }

    // MARK: Packages

    /// Writes the packages that the tree lacks.
    ///
    /// A lost package stays out if some of its keys have expired since: with the remaining keys, its bytes would differ from
    /// those that phones know, and it might have too few keys.
    private mutating func writeKeys(of published: inout PublishedSet) async throws {
        var lost = 0
        progress.begin("Packages", total: published.keyPackages.count)
        for package in published.keyPackages {
            defer { progress.advance() }
            let files = files(of: package)
            if files.contains(where: { present[$0.key] == nil }) {
                let keys: [PublishedKey] =
                    if let range = package.released {
                        try await store.keys(released: range, by: publisher.policy).keys
                    } else { [] }
                guard keys.count == package.keys else {
                    published.leaveOut(package.window)
                    lost += 1
                    continue
                }
                try await write(keys, of: package)
            }
            wanted.formUnion(files.map(\.key))
        }
        warn(lost)
    }

    private func files(of package: KeyPackage) -> [KeyFile] {
        package.files(regions: publisher.regions, keysPerFile: publisher.keysPerFile)
    }

    /// Writes the missing files of a package. Parts shared by several files are encoded once.
    private mutating func write(_ keys: [PublishedKey], of package: KeyPackage) async throws {
        let missing = files(of: package).filter { present[$0.key] == nil }
        guard !missing.isEmpty else { return }
        let publisher = publisher
        for (index, batch) in KeySet.batches(of: keys, atMost: publisher.keysPerFile).enumerated() {
            let files = missing.filter { Int($0.batch.number) == index + 1 }
            guard !files.isEmpty else { continue }
            let exports = try KeyExport.files(
                of: batch, headers: files.map { $0.header(of: package) }, signers: publisher.packages.signers)
            // Never publish what phones couldn't read. Signatures are verified when they are made.
            try exports.first?.readBack()
            let written = try await withThrowingTaskGroup(of: (TreeKey, Int).self) { group in
                for (file, export) in zip(files, exports) {
                    group.addTask {
                        let archive = try await publisher.packages.build(export)
                        try await publisher.tree.write(archive, to: file.key)
                        return (file.key, archive.count)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (key, size) in written { note(key, size: size) }
        }
    }

    private mutating func writeReports(of published: inout PublishedSet) async throws {
        var lost: [Hour] = []
        progress.begin("Check-in reports", total: published.reportHours.count)
        for hour in published.reportHours {
            defer { progress.advance() }
            let key = hour.key(origin: publisher.origin)
            if present[key] == nil {
                var archive: [UInt8] = []
                if let range = hour.released {
                    let reports = try await store.reports(after: range.after, through: range.through)
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
        warn(lost.count)
    }

    private func warn(_ lost: Int) {
        guard lost > 0 else { return }
        publisher.logger.warning(
            "lost packages can't be rebuilt and are no longer offered", metadata: ["packages": "\(lost)"])
    }

    // MARK: Static archives and indexes

    /// Publishes the folder of static files.
    ///
    /// If a file is invalid, or a folder can't be read, the previous archives stay: neither may keep keys from phones.
    private mutating func writeStaticArchives() async throws {
        guard let folder = publisher.staticFolder else { return }
        let files: StaticFiles
        do {
            files = try await NIOThreadPool.singleton.runIfActive { try StaticFiles(in: folder) }
        } catch let problem as StaticFiles.FolderProblem {
            publisher.logger.error(
                "static files can't be read; published archives stay",
                metadata: ["folder": "\(problem.folder)"])
            report.refusedFiles = 1
            return wanted.formUnion(present.keys.filter { $0.kind == .archive })
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
            wanted.formUnion(
                present.keys.filter { key in
                    key.kind == .archive && (key.path == path || key.path.hasPrefix(problem.file + "/"))
                })
        }
        report.refusedFiles = files.problems.count
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
        if let stored = present[key], try await isCurrent(stored, key, content) { return false }
        try await publisher.tree.write(content, to: key)
        note(key, size: content.count)
        return true
    }

    private func isCurrent(_ stored: StoredObject, _ key: TreeKey, _ content: [UInt8]) async throws -> Bool {
        guard stored.size == content.count else { return false }
        if let md5 = stored.md5 { return md5 == StoredObject.md5(of: content) }
        return try await publisher.tree.read(key) == content
    }

    private mutating func note(_ key: TreeKey, size: Int) {
        present[key] = StoredObject(size: size)
        report.changes += 1
        report.bytes += size
    }

    /// Removes indexes first, so that no index names a removed object.
    private mutating func removeUnwanted() async throws {
        let unwanted = present.keys.filter { !wanted.contains($0) }.sorted()
        guard !unwanted.isEmpty else { return }
        try await publisher.tree.remove(
            unwanted.filter { $0.kind == .index } + unwanted.filter { $0.kind != .index })
        report.changes += unwanted.count
    }
}
