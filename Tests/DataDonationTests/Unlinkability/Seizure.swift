import DonationFormat
import ExposureKeys
import Foundation
import HourKeys
import Postgres
import SeizedBytes
import TestSupport
import Testing

@testable import DataDonation

/// What somebody holds who takes everything that some hours of donations left on a database server: the tables with PostgreSQL's hidden
/// columns, and all of the write-ahead log. What he doesn't hold are the hours' private keys, which are destroyed.
struct Seizure: Sendable {
    /// What there is to see of a row beside its content.
    struct Trace: Sendable {
        var xmin = 0.0
        var cmin = 0.0
        /// In the order of the table's pages.
        var rank = 0.0
        var block = 0.0
        var line = 0.0
        /// Where in the raw bytes of the log it stands, in ascending order.
        var places: [Int] = []
    }

    /// By what tells a part from all others: a district, a tag, a time.
    private(set) var groups: [Int32: Trace] = [:]
    private(set) var risks: [Int32: Trace] = [:]
    private(set) var clients: [String: Trace] = [:]
    private(set) var windows: [Double: Trace] = [:]
    /// How many donations waited before each fold, and how many wait at the end.
    private(set) var waiting: [Int] = []
    /// How many of the rows that were copied from the inbox can be opened with the private keys that are there: before the folds, after them.
    private(set) var opened = (before: 0, after: 0)

    /// The share of rows that were found in the log: all, if the search is any good, but for those that go over the edge of a page.
    var found: Double {
        let traces = Array(risks.values) + Array(clients.values) + Array(windows.values)
        return Double(traces.count { !$0.places.isEmpty }) / Double(max(1, traces.count))
    }

    // MARK: Clues

    /// The names of ``clues(_:_:)``.
    static let pairClues = [
        "xmin", "cmin", "rank", "block", "line", "order", "log, least distance", "log, first", "log, last",
        "log, order",
    ]

    /// What two rows' traces have to do with each other.
    static func clues(_ one: Trace?, _ other: Trace?) -> [Double] {
        let (one, other) = (one ?? Trace(), other ?? Trace())
        func distance(_ value: KeyPath<Trace, Double>) -> Double { abs(one[keyPath: value] - other[keyPath: value]) }
        let least = one.places.reduce(Int.max >> 1) { least, place in
            other.places.reduce(least) { min($0, abs($1 - place)) }
        }
        let (first, otherFirst) = (one.places.first ?? 0, other.places.first ?? 0)
        let (last, otherLast) = (one.places.last ?? 0, other.places.last ?? 0)
        return [
            distance(\.xmin), distance(\.cmin), log1p(distance(\.rank)), distance(\.block), distance(\.line),
            one.rank < other.rank ? 1 : 0, log1p(Double(least)), log1p(Double(abs(first - otherFirst))),
            log1p(Double(abs(last - otherLast))), first < otherFirst ? 1 : 0,
        ]
    }

    /// The names of ``clues(_:)``.
    static let clues = ["xmin", "cmin", "rank", "block", "line", "log, first", "log, last", "log, number"]

    /// What one row's traces say.
    static func clues(_ trace: Trace?) -> [Double] {
        let trace = trace ?? Trace()
        return [trace.xmin, trace.cmin, trace.rank, trace.block, trace.line]
            + [Double(trace.places.first ?? 0), Double(trace.places.last ?? 0), Double(trace.places.count)]
    }

    // MARK: Taking it

    /// How donations get into the tables.
    enum Way: Sendable {
        /// Through the inbox and the fold.
        case folded
        /// At the end of the hour in one transaction, but each donation in its turn.
        case inOrderOfArrival
    }

    /// Lives through the hours on a server of its own, and takes everything.
    static func after(_ hours: SimulatedHours, _ way: Way) async throws -> Seizure {
        let programs = try #require(PrivateServer.programs)
        // The log is kept from the first byte to the last.
        let settings = ["wal_level=replica", "wal_keep_size=8GB", "max_wal_size=1GB"]
        return try await PrivateServer.with(programs, settings: settings) { server in
            let database = try await MigratedDatabase(migrating: server.connection)
            var seizure = try await FoldStage.run(on: database) { stage in
                try await Seizure(livingThrough: hours, way, on: stage)
            }
            await server.stop()
            try await seizure.search(URL(filePath: server.data + "/pg_wal"))
            return seizure
        }
    }

    private init(livingThrough hours: SimulatedHours, _ way: Way, on stage: FoldStage) async throws {
        let hourly = Dictionary(grouping: hours.donations, by: \.hour).sorted { $0.key < $1.key }
        var copied: [SealedRow] = []
        for (hour, donations) in hourly {
            for donation in donations {
                stage.clock.set(donation.moment)
                try await stage.donate(donation.data)
            }
            let rows = try await stage.asSuperuser { session in
                var rows: [SealedRow] = []
                try FoldTransaction(session, .donations).readInbox(through: hour) { rows += $0 }
                return rows
            }
            waiting.append(rows.count)
            opened.before += Self.opened(rows, on: stage)
            copied += rows
            switch way {
            case .folded: try await stage.foldNextHour()
            case .inOrderOfArrival:
                try await stage.folding.transaction { session in
                    for donation in donations {
                        var rows = DonatedRows()
                        rows.add(donation.data)
                        try FoldTransaction(session, .donations).insert(rows, in: hour)
                        // More will be written for the same hour.
                        try session.execute("DELETE FROM donation.folded_hour WHERE hour = \(hour.number)")
                    }
                }
            }
        }
        waiting.append(try await stage.waiting())
        opened.after = Self.opened(copied, on: stage)
        try await read(stage)
    }

    /// How many rows the private keys in the directory open.
    private static func opened(_ rows: [SealedRow], on stage: FoldStage) -> Int {
        rows.count { row in
            guard let key = try? stage.fold.files.read(row.hour) else { return false }
            return DonatedRows.open(row, with: key) != nil
        }
    }

    private mutating func read(_ stage: FoldStage) async throws {
        /// The hidden columns.
        typealias Hidden = (xmin: Int64, cmin: Int64, block: Int64, line: Int64)
        func trace(_ hidden: Hidden, _ rank: Int) -> Trace {
            Trace(
                xmin: Double(hidden.xmin), cmin: Double(hidden.cmin), rank: Double(rank), block: Double(hidden.block),
                line: Double(hidden.line))
        }
        let (groups, risks, clients, windows) = try await stage.asSuperuser { session in
            (
                try session.rows(
                    """
                    SELECT district, xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint,
                        (ctid::text::point)[1]::bigint AS line
                    FROM donation.user_group ORDER BY tableoid, ctid
                    """, as: Int32.self, Int64.self, Int64.self, Int64.self, Int64.self),
                try session.rows(
                    """
                    SELECT district, xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint,
                        (ctid::text::point)[1]::bigint AS line
                    FROM donation.exposure_risk ORDER BY tableoid, ctid
                    """, as: Int32.self, Int64.self, Int64.self, Int64.self, Int64.self),
                try session.rows(
                    """
                    SELECT configuration_tag, xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint,
                        (ctid::text::point)[1]::bigint AS line
                    FROM donation.client ORDER BY tableoid, ctid
                    """, as: String.self, Int64.self, Int64.self, Int64.self, Int64.self),
                try session.rows(
                    """
                    SELECT normalized_time, xmin::text::bigint, cmin::text::bigint, (ctid::text::point)[0]::bigint,
                        (ctid::text::point)[1]::bigint AS line
                    FROM donation.exposure_window ORDER BY tableoid, ctid
                    """, as: Double.self, Int64.self, Int64.self, Int64.self, Int64.self)
            )
        }
        for (rank, row) in groups.enumerated() { self.groups[row.0] = trace((row.1, row.2, row.3, row.4), rank) }
        for (rank, row) in risks.enumerated() { self.risks[row.0] = trace((row.1, row.2, row.3, row.4), rank) }
        for (rank, row) in clients.enumerated() { self.clients[row.0] = trace((row.1, row.2, row.3, row.4), rank) }
        for (rank, row) in windows.enumerated() { self.windows[row.0] = trace((row.1, row.2, row.3, row.4), rank) }
    }

    /// Looks for the bytes of all parts in everything that the server wrote to its log.
    private mutating func search(_ folder: URL) async throws {
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        let files = try (found?.compactMap { $0 as? URL } ?? []).filter {
            try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }.sorted { $0.path < $1.path }
        let (risks, clients, windows) = (
            try self.risks.keys.map { ($0, try Self.bytes(ofRiskIn: $0)) },
            try self.clients.keys.map { ($0, try #require(KeyData(Array($0.utf8)))) },
            try self.windows.keys.map { ($0, try Self.bytes(ofWindowLasting: $0)) }
        )
        let search = ByteSearch(for: risks.map(\.1) + clients.map(\.1) + windows.map(\.1))
        let places = try await search.places(in: files)
        for (district, bytes) in risks { self.risks[district]?.places = places[bytes] ?? [] }
        for (tag, bytes) in clients { self.clients[tag]?.places = places[bytes] ?? [] }
        for (time, bytes) in windows { self.windows[time]?.places = places[bytes] ?? [] }
    }

    /// As a row of `exposure_risk` has them: district, age, level, a flag, three bytes to align, the day.
    private static func bytes(ofRiskIn district: Int32) throws -> KeyData {
        let day = FoldStage.hour.day.number - 1
        let bytes =
            withUnsafeBytes(of: district.littleEndian) { Array($0) } + [2, 0, 2, 0, 0, 0, 0, 0]
            + withUnsafeBytes(of: day.littleEndian) { Array($0) }
        return try #require(KeyData(bytes))
    }

    /// As a row of `exposure_window` has them: the time, and the beginning of an array of three numbers.
    private static func bytes(ofWindowLasting time: Double) throws -> KeyData {
        let bytes = withUnsafeBytes(of: time.bitPattern.littleEndian) { Array($0) } + [55, 1, 0, 0, 0, 0, 0, 0]
        return try #require(KeyData(bytes))
    }
}
