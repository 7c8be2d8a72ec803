import ExposureFormat
package import ExposureKeys
package import FoundationEssentials

/// A published package of diagnosis keys: of a day that has ended, or of an hour.
package struct KeyPackage: Codable, Hashable, Sendable {
    private let firstHour: Int32
    private let isWholeDay: Bool

    /// The package of a day.
    package static func day(_ day: Day) -> KeyPackage {
        KeyPackage(firstHour: day.firstHour.number, isWholeDay: true)
    }

    /// The package of an hour.
    package static func hour(_ hour: Hour) -> KeyPackage { KeyPackage(firstHour: hour.number, isWholeDay: false) }

    /// The UTC day, or that of the hour.
    package var day: Day { Hour(number: firstHour).day }
    /// Nil for the package of a day.
    package var hour: Hour? { isWholeDay ? nil : Hour(number: firstHour) }
    /// When the day or the hour ends.
    package var end: Date { isWholeDay ? day.lastHour.end : Hour(number: firstHour).end }
}

/// Which packages of diagnosis keys a phone has, and which were compared with what it heard. A pure value; the files lie elsewhere.
///
/// Phones take a day's package once the day has ended, and the hours of days without one. A day's package replaces those of its hours
/// (cwa-app-android `KeyPackageSyncTool.kt`, cwa-app-ios `KeyPackageDownload.swift`).
package struct Downloads: Codable, Hashable, Sendable {
    /// A file that the phone has.
    package struct File: Codable, Hashable, Sendable {
        /// Of which package.
        package let package: KeyPackage
        /// The entity tag that the server gave it.
        package let etag: String
        /// Whether the phone has looked for its keys.
        package fileprivate(set) var isCompared = false
    }

    /// The files, in the order in which they came.
    package private(set) var files: [File] = []
    /// Packages whose only known file is revoked. They are asked for by its entity tag, so that it isn't sent again.
    private var revoked: [File] = []
    /// What couldn't be downloaded last time; it comes last next time, so that it stops nothing else.
    private var failed: Set<KeyPackage> = []
    /// When the phone last began to compare.
    private var lastDetection: Date?

    /// Days that a phone catches up with.
    package static let daysKept = 14
    /// Hours after which an hour's package is published no more.
    private static let hoursKept = 48
    /// Seconds without a new file after which the phone compares all the same.
    private static let longestRest: TimeInterval = 86_400

    /// Nothing was downloaded.
    init() {}

    // MARK: What is missing

    /// Whether the phone has a day's or an hour's package.
    package func has(_ package: KeyPackage) -> Bool { files.contains { $0.package == package } }

    /// The end of the latest package's day or hour; nil if there is no package.
    package var latestEnd: Date? { files.lazy.map(\.package.end).max() }

    /// The entity tag of the package's revoked file; nil if there is none.
    func revokedTag(of package: KeyPackage) -> String? { revoked.first { $0.package == package }?.etag }

    /// The days whose packages are missing, of those that are published.
    func missing(days: [Day], at now: Date) -> [KeyPackage] {
        let today = Day(containing: now)
        return Set(days).filter { $0 >= today.advanced(by: -Self.daysKept) && $0 < today }.sorted()
            .map(KeyPackage.day).filter { !has($0) }
    }

    /// The days whose hours have to be downloaded: today, and those of the last two days of which the day's package is neither there nor
    /// on its way.
    /// - Parameter coming: packages of days that are to be downloaded.
    func openDays(besides coming: [KeyPackage], at now: Date) -> [Day] {
        let today = Day(containing: now)
        let oldest = Hour(endedBy: now).advanced(by: 1 - Self.hoursKept).day
        return (oldest...today).filter { day in
            day == today || !has(.day(day)) && !coming.contains(.day(day))
        }
    }

    /// Whether the last hour of an open day that has ended is missing. In the first hour of a day there is no such hour: its list is asked
    /// for all the same, and empty.
    func lacksLatestHour(of day: Day, at now: Date) -> Bool {
        let latest = min(day.lastHour, Hour(endedBy: now))
        return latest < day.firstHour || !has(.hour(latest))
    }

    /// The hours whose packages are missing, of those that are published.
    func missing(hours: [Hour], of day: Day, at now: Date) -> [KeyPackage] {
        let latest = Hour(endedBy: now)
        return Set(hours).filter { $0.day == day && $0 <= latest }.sorted().map(KeyPackage.hour).filter { !has($0) }
    }

    /// The order of downloads: days first on Android, hours first on iOS; the oldest ones first, and what failed last time at the end.
    func ordered(_ packages: [KeyPackage], on system: DeviceClass.System) -> [KeyPackage] {
        let days = packages.filter { $0.hour == nil }
        let hours = packages.filter { $0.hour != nil }
        let all = system == .android ? days + hours : hours + days
        return all.filter { !failed.contains($0) } + all.filter(failed.contains)
    }

    // MARK: What comes

    /// A file has arrived; a revoked one isn't kept.
    mutating func take(_ package: KeyPackage, etag: String, by rules: DownloadRules) {
        failed.remove(package)
        revoked.removeAll { $0.package == package }
        guard !has(package) else { return }
        let file = File(package: package, etag: etag)
        guard !rules.revokes(file) else { return revoked.append(file) }
        files.append(file)
        guard package.hour == nil else { return }
        // The day's package has all keys of its hours.
        files.removeAll { $0.package.day == package.day && $0.package.hour != nil }
        revoked.removeAll { $0.package.day == package.day }
    }

    /// A file couldn't be downloaded.
    mutating func miss(_ package: KeyPackage) { failed.insert(package) }

    /// Files were lost, such as by the system when it needed room.
    mutating func lose(_ packages: [KeyPackage]) { files.removeAll { packages.contains($0.package) } }

    /// Files that a new configuration revokes are dropped.
    mutating func drop(by rules: DownloadRules) {
        guard !rules.revoked.isEmpty else { return }
        revoked += files.filter(rules.revokes)
        files.removeAll(where: rules.revokes)
    }

    /// Time passes: what is older than the packages that are published is forgotten.
    mutating func live(until now: Date) {
        let oldest = Day(containing: now).advanced(by: -Self.daysKept)
        files.removeAll { $0.package.day < oldest }
        revoked.removeAll { $0.package.day < oldest }
        failed = failed.filter { $0.day >= oldest }
    }

    // MARK: Comparing

    /// The packages that are compared now; nil if it isn't time. The operating systems admit six times in 24 hours, so the times are at
    /// least four hours apart; without a new file the phone compares once a day, because its own record may have changed.
    ///
    /// The time counts from the beginning, also if no answer comes, because the operating system has counted it, too.
    mutating func beginDetection(by rules: DownloadRules, at now: Date) -> [KeyPackage]? {
        guard rules.detectionsPerDay > 0 else { return nil }
        let new = files.filter { !$0.isCompared }.map(\.package)
        let rest = lastDetection.map { now.timeIntervalSince($0) } ?? .infinity
        let shortest = 86_400 / Double(rules.detectionsPerDay)
        guard rest >= (new.isEmpty ? max(Self.longestRest, shortest) : shortest) else { return nil }
        lastDetection = now
        return new
    }

    /// The phone has looked for the keys of these packages.
    mutating func finishDetection(of packages: [KeyPackage]) {
        let compared = Set(packages)
        for place in files.indices where compared.contains(files[place].package) { files[place].isCompared = true }
    }
}

extension DownloadRules {
    /// Whether a file isn't to be used.
    fileprivate func revokes(_ file: Downloads.File) -> Bool {
        revoked.contains {
            $0.etag == file.etag && $0.day == file.package.day && $0.hour == file.package.hour?.ofDay
        }
    }
}
