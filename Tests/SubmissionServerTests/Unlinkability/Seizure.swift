import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import SeizedBytes
import TestSupport
import Testing
import Venues

@testable import SubmissionServer

/// What somebody holds who takes everything that a day left on a database server and on a standby of it: the tables with PostgreSQL's
/// hidden columns, a dump, all of the write-ahead log, a base backup of the middle of the day and one of its end, and all files of the
/// standby. What he doesn't hold are the hours' private keys, which are destroyed, and the key of the uploads' tags.
struct Seizure: Sendable {
    /// What there is to see of a key or a report beside its content. Reports go by the 16 bytes of their vector.
    struct Trace: Sendable {
        var xmin = 0.0
        var cmin = 0.0
        /// In the order of the table's pages.
        var rank = 0.0
        var block = 0.0
        var line = 0.0
        /// Where in the dump it stands, in bytes.
        var dump = 0.0
        /// Where in the raw bytes of each source it stands, in ascending order.
        var places: [[Int]] = Seizure.sources.map { _ in [] }
    }

    struct Row: Sendable {
        let hour: Hour
        let id: KeyData
        /// A key's metadata, beside any data; nil for a report.
        let metadata: DiagnosisKey?
        /// How long a key was in use, in intervals; 0 for a report.
        let length: Int16
        /// The hash of a check-in report's venue.
        var venue: [UInt8] = []
        /// All of a report.
        var content: [UInt8] = []
    }

    var keys: [Row] = []
    var reports: [Row] = []
    var venueReports: [Row] = []
    var traces: [KeyData: Trace] = [:]

    private static let log = 0
    private static let earlyBackup = 1
    private static let lateBackup = 2
    private static let standby = 3

    /// Those that the backup of the middle of the day has in the clear.
    var inEarlyBackup: Set<KeyData> { Set(traces.filter { !$0.value.places[Self.earlyBackup].isEmpty }.keys) }

    /// The share of those that were found in the dump, the log, the last backup and the standby: all, if the search is any good, but
    /// for reports that go over the edge of one of the log's pages.
    var found: Double {
        let found = traces.values.count {
            $0.dump > 0 && !$0.places[Self.log].isEmpty && !$0.places[Self.lateBackup].isEmpty
                && !$0.places[Self.standby].isEmpty
        }
        return Double(found) / Double(max(1, traces.count))
    }

    // MARK: Clues

    private static let sources = ["log", "early backup", "late backup", "standby"]

    /// The names of ``clues(_:_:)``.
    static let pairClues =
        [
            "xmin", "cmin", "heap distance", "block", "line", "dump distance", "heap order", "dump order",
        ] + sources.flatMap { ["\($0), least distance", "\($0), first", "\($0), last", "\($0), order"] }

    /// What two traces have to do with each other.
    func clues(_ one: KeyData, _ other: KeyData) -> [Double] {
        let (one, other) = (traces[one] ?? Trace(), traces[other] ?? Trace())
        func distance(_ value: KeyPath<Trace, Double>) -> Double { abs(one[keyPath: value] - other[keyPath: value]) }
        var clues = [
            distance(\.xmin), distance(\.cmin), log1p(distance(\.rank)), distance(\.block), distance(\.line),
            log1p(distance(\.dump)), one.rank < other.rank ? 1 : 0, one.dump < other.dump ? 1 : 0,
        ]
        for (places, others) in zip(one.places, other.places) {
            guard let first = places.first, let last = places.last, let otherFirst = others.first,
                let otherLast = others.last
            else {
                clues += [places.isEmpty == others.isEmpty ? 0 : 1, 0, 0, 0]
                continue
            }
            let least = places.reduce(Int.max) { least, place in
                others.reduce(least) { min($0, abs($1 - place)) }
            }
            clues += [Double(least), Double(abs(first - otherFirst)), Double(abs(last - otherLast))].map { log1p($0) }
            clues.append(first < otherFirst ? 1 : 0)
        }
        return clues
    }

    /// The names of ``contentClues(_:_:)``.
    static let contentClues = ["common beginning", "equal bytes", "different bits"]

    /// What the bytes of two reports have to do with each other.
    static func contentClues(_ one: [UInt8], _ other: [UInt8]) -> [Double] {
        let pairs = Array(zip(one, other))
        return [
            Double(pairs.prefix { $0.0 == $0.1 }.count), Double(pairs.count { $0.0 == $0.1 }),
            Double(pairs.reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }),
        ]
    }

    /// The names of ``clues(_:)``.
    static let clues =
        ["xmin", "cmin", "heap position", "block", "line", "dump position"]
        + sources.flatMap { ["\($0), first", "\($0), last", "\($0), number"] }

    /// What one trace says.
    func clues(_ id: KeyData) -> [Double] {
        let trace = traces[id] ?? Trace()
        return [trace.xmin, trace.cmin, trace.rank, trace.block, trace.line, trace.dump]
            + trace.places.flatMap { [Double($0.first ?? 0), Double($0.last ?? 0), Double($0.count)] }
    }

    // MARK: Taking it

    /// How uploads get into the tables.
    enum Way: Sendable {
        /// Through the inbox and the fold.
        case folded
        /// Each in a transaction of its own as it comes, and fillers at the end of the hour.
        case asTheyCome
    }

    /// Lives through a day on a server of its own, and takes everything.
    /// - Parameter backupHour: in the middle of this one a base backup is taken.
    static func after(_ day: SimulatedDay, _ way: Way, backupIn backupHour: Hour) async throws -> Seizure {
        let programs = try #require(PrivateServer.programs)
        // The log is kept from the first byte to the last.
        let settings = ["wal_level=replica", "wal_keep_size=8GB", "max_wal_size=1GB"]
        return try await PrivateServer.with(programs, settings: settings) { server in
            try await server.untilReady()
            return try await server.withStandby { standby in
                let database = try await MigratedDatabase(migrating: server.connection)
                var seizure = try await FoldStage.run(on: database) { stage in
                    try await stage.live(day, way) { hourly, number in
                        guard hourly.hour == backupHour, number == hourly.uploads.count / 2 else { return }
                        try await server.backUp("early")
                    }
                    return try await stage.asSuperuser { try Seizure(reading: $0) }
                }
                try await server.backUp("late")
                try await server.run("pg_dump", ["-f", server.directory.path + "/dump", "postgres"])
                try await server.checkpoint(with: standby)
                await server.stop()
                await standby.stop()
                try await seizure.search(server, standby)
                return seizure
            }
        }
    }

    private init(reading session: Session) throws {
        let keyRows = try session.rows(
            """
            SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint AS block, (ctid::text::point)[1]::bigint AS line
            FROM submission.diagnosis_key ORDER BY tableoid, ctid
            """, as: Int32.self, [UInt8].self, Int32.self, Int16.self, Int16.self, Int16.self, Int64.self, Int64.self,
            Int64.self, Int64.self)
        let anyData = try #require(KeyData([UInt8](repeating: 0, count: KeyData.count)))
        for (rank, row) in keyRows.enumerated() {
            let id = try #require(KeyData(row.1))
            let metadata = DiagnosisKey(
                data: anyData,
                rollingPeriod: try #require(
                    RollingPeriod(start: IntervalNumber(rawValue: UInt32(row.2)), length: UInt32(row.3))),
                transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: Int(row.4))),
                daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: Int32(row.5))),
                reportType: .confirmedTest)
            keys.append(Row(hour: Hour(number: row.0), id: id, metadata: metadata, length: row.3))
            traces[id] = Trace(
                xmin: Double(row.6), cmin: Double(row.7), rank: Double(rank), block: Double(row.8), line: Double(row.9))
        }
        let reportRows = try session.rows(
            """
            SELECT hour, initialization_vector, location_id_hash,
                location_id_hash || initialization_vector || encrypted_record || authentication_code, xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint AS block,
                (ctid::text::point)[1]::bigint AS line
            FROM submission.check_in_report ORDER BY tableoid, ctid
            """, as: Int32.self, [UInt8].self, [UInt8].self, [UInt8].self, Int64.self, Int64.self, Int64.self,
            Int64.self)
        for (rank, row) in reportRows.enumerated() {
            let id = try #require(KeyData(row.1))
            reports.append(
                Row(hour: Hour(number: row.0), id: id, metadata: nil, length: 0, venue: row.2, content: row.3))
            traces[id] = Trace(
                xmin: Double(row.4), cmin: Double(row.5), rank: Double(rank), block: Double(row.6), line: Double(row.7))
        }
        let venueRows = try session.rows(
            """
            SELECT hour, report, xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint AS block,
                (ctid::text::point)[1]::bigint AS line
            FROM submission.venue_report ORDER BY tableoid, ctid
            """, as: Int32.self, [UInt8].self, Int64.self, Int64.self, Int64.self, Int64.self)
        for (rank, row) in venueRows.enumerated() {
            let id = try #require(KeyData(row.1.prefix(KeyData.count)))
            venueReports.append(Row(hour: Hour(number: row.0), id: id, metadata: nil, length: 0, content: row.1))
            traces[id] = Trace(
                xmin: Double(row.2), cmin: Double(row.3), rank: Double(rank), block: Double(row.4), line: Double(row.5))
        }
    }

    /// Looks for the bytes of all keys and reports in everything that the servers wrote.
    private mutating func search(_ server: PrivateServer, _ standby: PrivateServer) async throws {
        let search = ByteSearch(for: Array(traces.keys))
        let folders = [
            server.data + "/pg_wal", server.directory.path + "/early", server.directory.path + "/late", standby.data,
        ]
        for (source, folder) in folders.enumerated() {
            for (id, places) in try await search.places(in: Self.files(in: folder)) {
                traces[id]?.places[source] = places
            }
        }
        let dump = try Data(contentsOf: server.directory.appending(path: "dump"))
        for (id, place) in Self.hexadecimal(in: dump) where traces[id]?.dump == 0 { traces[id]?.dump = Double(place) }
    }

    private static func files(in folder: String) throws -> [URL] {
        let found = FileManager.default.enumerator(
            at: URL(filePath: folder), includingPropertiesForKeys: [.isRegularFileKey])
        return try (found?.compactMap { $0 as? URL } ?? []).filter {
            try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }.sorted { $0.path < $1.path }
    }

    /// The first 16 bytes of every byte string of a dump, and where it stands.
    private static func hexadecimal(in dump: Data) -> [(KeyData, Int)] {
        func digit(_ character: UInt8) -> UInt8 { character < 0x3a ? character &- 0x30 : character &- 0x57 }
        return dump.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return [] }
            var found: [(KeyData, Int)] = []
            var position = 0
            // A byte string begins with two backslashes and an x.
            while let backslash = memchr(start + position, 0x5c, buffer.count - position) {
                position = UnsafeRawPointer(backslash) - start + 1
                guard position + 34 <= buffer.count else { break }
                guard buffer[position] == 0x5c, buffer[position + 1] == 0x78 else { continue }
                let bytes = (0..<16).map {
                    digit(buffer[position + 2 + 2 * $0]) &<< 4 | digit(buffer[position + 3 + 2 * $0])
                }
                if let id = KeyData(bytes) { found.append((id, position)) }
            }
            return found
        }
    }
}

extension PrivateServer {
    /// Takes a base backup as an operator does. The log is taken from the server itself.
    fileprivate func backUp(_ name: String) async throws {
        try await run(
            "pg_basebackup", ["-D", directory.path + "/\(name)", "-X", "none", "--checkpoint=fast", "--no-sync"])
    }
}

extension FoldStage {
    /// Lives through a day.
    /// - Parameter uploaded: called after each upload with its hour and its number within it.
    fileprivate func live(
        _ day: SimulatedDay, _ way: Seizure.Way, uploaded: (SimulatedDay.Hourly, Int) async throws -> Void
    ) async throws {
        if let first = day.hours.first?.hour { try await fold.close(through: first.advanced(by: -1)) }
        for hourly in day.hours {
            for (number, upload) in hourly.uploads.enumerated() {
                clock.set(upload.moment)
                switch way {
                case .folded: try await self.upload(upload.content)
                case .asTheyCome:
                    try await write(upload.keys, upload.reports, upload.visits.map(\.report), hourly.hour)
                }
                try await uploaded(hourly, number)
            }
            clock.set(hourly.hour.end.addingTimeInterval(2))
            switch way {
            case .folded: try await foldNow()
            case .asTheyCome: try await fillUp(hourly)
            }
        }
    }

    /// Writes without a fold: the control.
    fileprivate func write(
        _ keys: [DiagnosisKey], _ reports: [CheckInReport], _ venueReports: [VenueReport], _ hour: Hour
    ) async throws {
        try await folding.transaction { session in
            try FoldTransaction(session, .uploads).insert(
                keys.map { StreamedKey($0, .home) }, reports, venueReports, hour: hour)
            // More will be written for the same hour.
            try session.execute("DELETE FROM submission.folded_hour WHERE hour = \(hour.number)")
        }
    }

    /// Fills up at the end of an hour what was written without a fold.
    fileprivate func fillUp(_ hourly: SimulatedDay.Hourly) async throws {
        var random = SystemRandomNumberGenerator()
        let (keys, reports) = (hourly.uploads.flatMap(\.keys), hourly.uploads.flatMap(\.reports))
        let venueReports = hourly.uploads.flatMap { $0.visits.map(\.report) }
        let fillers = (
            keys: fold.fillers.fill(keys, of: hourly.hour, at: hourly.hour.end, using: &random).dropFirst(
                keys.count),
            reports: fold.fillers.fill(reports, using: &random).dropFirst(reports.count),
            venueReports: fold.fillers.fill(venueReports, using: &random).dropFirst(venueReports.count)
        )
        try await write(
            Array(fillers.keys), Array(fillers.reports), Array(fillers.venueReports), hourly.hour)
    }
}
