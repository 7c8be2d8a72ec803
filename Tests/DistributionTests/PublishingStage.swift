import Calling
import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import Logging
import ObjectStore
import Postgres
import PublishedTree
import Running
import Schema
import TestSupport
import Testing
import Venues

@testable import Distribution

/// Folded keys in a database of their own, and a tree that they are published to.
struct PublishingStage: Sendable {
    let database: MigratedDatabase
    /// A client with the role of distribution.
    let client: PostgresClient
    let superuser: PostgresClient
    let directory: URL
    /// The root of the tree.
    let root: URL
    let verificationKey: VerificationKey
    /// The same key in PEM.
    let publicKeyPEM: String
    let settings: [String: String]

    /// - Parameter signingKeys: makes the setting `signing.keys` from the path of a key's file.
    static func run<Result: Sendable>(
        minimumKeys: Int = PublicationPolicy.smallestPackage,
        signingKeys: @Sendable (String) -> String = { "262/v1=\($0)" },
        settings: [String: String] = [:],
        _ body: @Sendable (PublishingStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await run(
                in: database, minimumKeys: minimumKeys, signingKeys: signingKeys, settings: settings, body)
        }
    }

    /// The same, in a database that a test made.
    static func run<Result: Sendable>(
        in database: MigratedDatabase, minimumKeys: Int = PublicationPolicy.smallestPackage,
        signingKeys: @Sendable (String) -> String = { "262/v1=\($0)" },
        settings: [String: String] = [:],
        _ body: @Sendable (PublishingStage) async throws -> Result
    ) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        let root = directory.appending(path: "published", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let signingKey = P256.Signing.PrivateKey()
        let keyFile = directory.appending(path: "signing-key.pem")
        try DurableFile.write(Data(signingKey.pemRepresentation.utf8), to: keyFile, mode: 0o600)
        let connection = database.connection(as: .distribution)
        return try await TestPostgres.withClient(database.superuserConnection, maximumConnections: 1) { superuser in
            // Runs wait for each other by a statement that takes as long as a run, which is long beside all the other tests.
            let configuration = PostgresConfiguration(
                connection: connection, applicationName: "test", maximumConnections: 4, acquireDeadline: .seconds(30),
                statementTimeout: .seconds(120))
            return try await TestPostgres.withClient(configuration) { client in
                try await body(
                    PublishingStage(
                        database: database, client: client, superuser: superuser, directory: directory, root: root,
                        verificationKey: VerificationKey(signingKey.publicKey),
                        publicKeyPEM: signingKey.publicKey.pemRepresentation,
                        settings: [
                            "directory": root.path, "signing.keys": signingKeys(keyFile.path),
                            "minimumKeys": "\(minimumKeys)",
                            "postgres.connection": connection,
                        ].merging(settings) { $1 }.filter {
                            // The tree is published to one place.
                            $0.key != "directory" || settings["s3.bucket"] == nil
                        }))
            }
        }
    }

    /// Its clock is later than every published hour.
    var runtime: ServiceRuntime { runtime(clock: .offset(by: 10 * 365 * 86_400)) }

    func runtime(clock: WallClock) -> ServiceRuntime {
        ServiceRuntime(
            name: "distribution", settings: settings, clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    var publisher: Publisher {
        get throws {
            let runtime = runtime
            return try Publisher(
                database: client, clock: DatabaseClock(of: client, movedLike: runtime.clock), origin: "DE",
                runtime: runtime)
        }
    }

    /// A publisher to another store.
    func publisher(for tree: any TreeStore) throws -> Publisher {
        var publisher = try publisher
        publisher.tree = tree
        return publisher
    }

    var store: DistributionStore { DistributionStore(client) }

    /// What `distribution explain` says at an instant.
    func explain(at now: Date) -> Explain {
        Explain(
            store: store, policy: PublicationPolicy(), regions: Regions(names: ["DE", "EUR"], origin: "DE"), now: now)
    }

    // MARK: Folding

    /// Stores keys as the fold does, and marks their hours as folded.
    func fold(_ hours: [(hour: Hour, keys: [DiagnosisKey])]) async throws {
        try await superuser.transaction { session in
            for (hour, keys) in hours {
                // The fold takes keys of the fourteen days before the hour's only; these may be of any day.
                let days = keys.map { Int32($0.rollingPeriod.start.rawValue / IntervalNumber.perDay) }
                for day in Set(days + [hour.day.number]) { try session.execute("SELECT submission.ensure_day(\(day))") }
                try session.execute(
                    """
                    INSERT INTO submission.diagnosis_key (
                        hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                        report_type)
                    SELECT \(hour.number), key_data, start, period, level, 0, 1
                    FROM unnest(
                        \(keys.map(\.data.bytes)), \(keys.map { Int32($0.rollingPeriod.start.rawValue) }),
                        \(keys.map { Int16($0.rollingPeriod.length) }),
                        \(keys.map { Int16($0.transmissionRiskLevel.rawValue) })) AS folded (key_data, start, period, level)
                    """)
                try session.execute(
                    "INSERT INTO submission.folded_hour (hour, keys) VALUES (\(hour.number), \(Int32(keys.count)))")
            }
        }
    }

    func fold(_ hour: Hour, _ keys: [DiagnosisKey] = []) async throws {
        try await fold([(hour, keys)])
    }

    /// Stores keys of other countries as federation does, whose hour of import ends later.
    func importKeys(
        _ keys: [DiagnosisKey], in hour: Hour, from origin: String = "FR", visited: String = "DEFR"
    ) async throws {
        try await superuser.transaction { session in
            let days = keys.map { Int32($0.rollingPeriod.start.rawValue / IntervalNumber.perDay) }
            for day in Set(days + [hour.day.number]) { try session.execute("SELECT foreign_keys.ensure_day(\(day))") }
            try session.execute(
                """
                INSERT INTO foreign_keys.diagnosis_key (
                    hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                    report_type, origin, visited)
                SELECT \(hour.number), key_data, start, period, level, 0, 1, \(origin), \(visited)
                FROM unnest(
                    \(keys.map(\.data.bytes)), \(keys.map { Int32($0.rollingPeriod.start.rawValue) }),
                    \(keys.map { Int16($0.rollingPeriod.length) }),
                    \(keys.map { Int16($0.transmissionRiskLevel.rawValue) })) AS imported (key_data, start, period, level)
                """)
        }
    }

    /// From now on no key is imported in an hour.
    func endImport(of hour: Hour) async throws {
        _ = try await superuser.session { session in
            try session.execute("INSERT INTO foreign_keys.imported_hour (hour) VALUES (\(hour.number))")
        }
    }

    /// Stores check-in reports of an hour.
    func fold(_ hour: Hour, _ reports: [CheckInReport]) async throws {
        try await superuser.transaction { session in
            try session.execute("SELECT submission.ensure_day(\(hour.day.number))")
            try session.execute(
                """
                INSERT INTO submission.check_in_report
                SELECT \(hour.number), substr(report, 1, 32), substr(report, 33, 16), substr(report, 49, 16),
                    substr(report, 65)
                FROM unnest(\(reports.map(\.bytes))) AS reports (report)
                """)
        }
    }

    /// Stores venue reports of an hour.
    func fold(_ hour: Hour, _ reports: [VenueReport]) async throws {
        try await superuser.transaction { session in
            try session.execute("SELECT submission.ensure_day(\(hour.day.number))")
            try session.execute(
                """
                INSERT INTO submission.venue_report
                SELECT \(hour.number), report FROM unnest(\(reports.map(\.bytes))) AS reports (report)
                """)
        }
    }

    /// The reports of a bundle that begins with an hour; nil if there is none.
    func venueReports(from hour: Hour) throws -> [VenueReport]? {
        let url = root.appending(path: "version/v1/venue-reports/\(hour.number)")
        guard let content = try? Data(contentsOf: url) else { return nil }
        let package = try VenueReportPackage(reading: Array(content), signedBy: [verificationKey])
        #expect(package.firstHour == hour)
        return package.reports
    }

    /// Hours without uploads.
    func foldEmpty(_ hours: ClosedRange<Hour>) async throws {
        let (first, last) = (hours.lowerBound.number, hours.upperBound.number)
        try await superuser.session { session in
            _ = try session.execute(
                """
                INSERT INTO submission.folded_hour (hour, keys) SELECT hour, 0
                FROM generate_series(\(first), \(last)) AS hours (hour)
                ON CONFLICT DO NOTHING
                """)
        }
    }

    /// Publishes the hours up to and including one.
    @discardableResult
    func publish(through hour: Hour) async throws -> Publisher.Report {
        let publisher = try publisher
        let report = try await publisher.publish(asOf: hour.end)
        await publisher.announcement?.service.close()
        return report
    }

    /// Lets the executable's clock, and the database's for it, be moved (`clock.offset`).
    func markAsRehearsal() async throws {
        try await superuser.session { session in
            let name = try #require(
                Identifier(validating: try session.row("SELECT current_database()::text", as: String.self) ?? ""))
            try session.script("ALTER DATABASE \(identifier: name) SET vigil.rehearsal = 'on'")
        }
    }

    /// Writes the settings to a file, for the executable, whose clock is moved.
    func writeConfiguration(moving offset: TimeInterval) throws -> URL {
        let file = directory.appending(path: "distribution.json")
        var nested: [String: Any] = [:]
        for (key, value) in settings.merging(["clock.offset": "\(offset)"], uniquingKeysWith: { $1 }) {
            let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
            if parts.count == 1 {
                nested[key] = value
            } else {
                nested[parts[0], default: [String: Any]()] = (nested[parts[0]] as? [String: Any] ?? [:]).merging([
                    parts[1]: value
                ]) { $1 }
            }
        }
        try JSONSerialization.data(withJSONObject: nested).write(to: file)
        return file
    }

    /// Writes the public key that packages are signed for to a file.
    func writePublicKey() throws -> URL {
        let file = directory.appending(path: "public-key.pem")
        try Data(publicKeyPEM.utf8).write(to: file)
        return file
    }

    /// Resets the database to an earlier last published hour; signatures are kept.
    func forget(after hour: Hour) async throws {
        try await superuser.session { session in
            _ = try session.execute("DELETE FROM distribution.published_hour WHERE hour > \(hour.number)")
        }
    }

    // MARK: The tree

    /// The verdict of `distribution verify` on a tree that was written at an instant; without one, keys don't expire.
    func verify(asOf instant: Date = .distantPast) async throws -> VerifyTree.Verdict {
        let minimum = Int(settings["minimumKeys"] ?? "") ?? PublicationPolicy.smallestPackage
        return try await VerifyTree(
            tree: DirectoryStore(root: root), publicKeys: [verificationKey], minimum: minimum, instant: instant
        ).verdict()
    }

    /// Replaces the tree.
    func restore(_ files: [String: Data]) throws {
        try removeTree()
        for (path, content) in files {
            let url = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: url)
        }
    }

    /// Every file's content, by its path in the tree.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
            var isDirectory: ObjCBool = false
            let url = root.appending(path: path)
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), !isDirectory.boolValue
            else { continue }
            files[path] = try Data(contentsOf: url)
        }
        return files
    }

    func removeTree() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: root.path) {
            try FileManager.default.removeItem(at: root.appending(path: name))
        }
    }

    static let countries = "version/v1/diagnosis-keys/country"

    static func path(of hour: Hour, region: String = "DE") -> String {
        "\(countries)/\(region)/date/\(hour.day.name)/hour/\(hour.ofDay)"
    }

    static func path(of day: Day, region: String = "DE") -> String {
        "\(countries)/\(region)/date/\(day.name)/index"
    }

    /// A published package, opened as a phone does; nil if it doesn't exist.
    func package(_ path: String) throws -> ExportArchive? {
        guard let archive = try? Data(contentsOf: root.appending(path: path)) else { return nil }
        let package = try ExportArchive.read(Array(archive))
        try package.archive.requireSignature(of: [verificationKey])
        return package
    }

    /// The reports of an hour; nil if there is no object, empty if the object is empty.
    func reports(of hour: Hour) throws -> [CheckInReport]? {
        let url = root.appending(path: "version/v2/twp/country/DE/hour/\(hour.number)")
        guard let content = try? Data(contentsOf: url) else { return nil }
        if content.isEmpty { return [] }
        let archive = try SignedArchive.read(Array(content))
        try archive.requireSignature(of: [verificationKey])
        let package = try #require(ReportPackage(archive.export))
        #expect((package.hour, package.region) == (hour, "DE"))
        return package.reports
    }

    /// How many of some keys occur in any file of the tree, unpacked.
    func found(_ keys: [DiagnosisKey]) throws -> Int {
        let contents = try files().values.map { file in
            file.starts(with: Data("PK".utf8)) ? Data(try SignedArchive.read(Array(file)).export) : file
        }
        return keys.count { key in contents.contains { $0.range(of: Data(key.data.bytes)) != nil } }
    }

    /// `export.bin` of every archive, by its path.
    func exports() throws -> [String: [UInt8]] {
        try files().filter { $0.value.starts(with: Data("PK".utf8)) }
            .mapValues { try SignedArchive.read(Array($0)).export }
    }

    /// The keys of an hour's package; nil if there is no package.
    func keys(of hour: Hour, region: String = "DE") throws -> Set<KeyData>? {
        try package(Self.path(of: hour, region: region)).map { Set($0.keys.map(\.data)) }
    }

    /// The keys of a day's package; nil if there is no package.
    func keys(of day: Day, region: String = "DE") throws -> Set<KeyData>? {
        try package(Self.path(of: day, region: region)).map { Set($0.keys.map(\.data)) }
    }
}

extension PublishedHour {
    /// An hour that took home keys, unless there is no end.
    init(hour: Hour, keys: Int, firstEnd: IntervalNumber? = nil, reports: Int = 0) {
        self.init(
            hour: hour, home: firstEnd.map { TakenKeys(through: hour, count: keys, firstEnd: $0) }, reports: reports)
    }
}

extension [String: Data] {
    /// The files that the indexes name, and the indexes.
    func named(regions: [String] = ["DE", "EUR"]) throws -> Set<String> {
        let countries = PublishingStage.countries
        var named: Set = ["version/index", "version/index-v2", "\(countries)/index", "version/v1/venue-reports/index"]
        named.formUnion(try venueBundles().map { "version/v1/venue-reports/\($0)" })
        let traceKeys = TraceKeyIndex.key
        named.insert(traceKeys.file)
        if let index = TraceKeyIndex(self[traceKeys.file] ?? Data()) {
            named.formUnion(
                index.tags.flatMap { tag in TraceKeyForm.allCases.map { TraceKeyIndex.file(tag, $0).file } })
        }
        // No index names them: they are always there.
        named.formUnion(VenueEventFiles.keys.map(\.file))
        for version in ["v1", "v2"] {
            let venues = "version/\(version)/twp/country"
            named.formUnion(["\(venues)/index", "\(venues)/DE/hour/index"])
            named.formUnion(try reportHours(version).map { "\(venues)/DE/hour/\($0)" })
        }
        for region in try list(of: String.self, "\(countries)/index") {
            let dates = "\(countries)/\(region)/date"
            named.insert("\(dates)/index")
            for day in try list(of: String.self, "\(dates)/index") { named.insert("\(dates)/\(day)/index") }
            for index in keys where index.hasPrefix(dates) && index.hasSuffix("/hour/index") {
                named.insert(index)
                for hour in try list(of: Int.self, index) { named.insert("\(index.dropLast(5))\(hour)") }
            }
        }
        return named
    }

    /// All but the lists of trace keys and their index.
    var withoutTraceKeys: [String: Data] {
        filter { !$0.key.hasPrefix(TraceKeyIndex.key.file.replacing("/index", with: "")) }
    }

    /// The first hours of the bundles of venue reports, as the index says.
    func venueBundles() throws -> [Int] {
        let index = try JSONDecoder().decode(
            [String: Int?].self, from: self["version/v1/venue-reports/index"] ?? Data())
        guard let oldest = index["oldest"] ?? nil, let latest = index["latest"] ?? nil, let step = index["hours"] ?? nil
        else { return [] }
        return Array(stride(from: oldest, through: latest, by: step))
    }

    /// The hours from the oldest to the latest with check-in reports, as the index says; empty without reports.
    func reportHours(_ version: String = "v2") throws -> [Int] {
        let index = self["version/\(version)/twp/country/DE/hour/index"] ?? Data()
        let bounds = try JSONDecoder().decode([String: Int?].self, from: index)
        guard let oldest = bounds["oldest"] ?? nil, let latest = bounds["latest"] ?? nil else { return [] }
        return Array(oldest...latest)
    }

    /// The elements of a JSON index.
    func list<Element: Decodable>(of type: Element.Type, _ path: String) throws -> [Element] {
        try JSONDecoder().decode([Element].self, from: self[path] ?? Data())
    }
}
