import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import TestSupport
import Testing

@testable import SubmissionServer

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FoldTests {
    private static let hour = Samples.hour
    private static let next = hour.advanced(by: 1)

    /// The data of keys in the order in which a fold must write them.
    private static func sorted(_ keys: some Sequence<DiagnosisKey>) -> [KeyData] { keys.sorted().map(\.data) }

    // MARK: What comes out

    @Test("all keys of an hour come out, each once, in the order of their content")
    func complete() async throws {
        try await FoldStage.run { stage in
            for upload in 0..<10 { try await stage.upload(try Samples.keys(upload * 14..<upload * 14 + 14)) }
            let report = try await stage.fold(before: Self.next)

            let all = try Samples.keys(0..<140)
            let folded = try await stage.foldedKeys()
            #expect(folded.map(\.data) == Self.sorted(all))
            #expect(Set(folded.map(\.hour)) == [Self.hour])
            #expect(report == Fold.Report(lastHour: Self.hour.number, uploads: [10], keys: 140))
            #expect(try await stage.foldedHours() == [.init(hour: Self.hour, keys: 140)])
        }
    }

    @Test("every field of a key survives")
    func fields() async throws {
        try await FoldStage.run { stage in
            let key = try Samples.key(1)
            try await stage.upload([key])
            try await stage.fold(before: Self.next)
            let row = try await stage.asSuperuser { session in
                try session.row(
                    """
                    SELECT key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                        report_type
                    FROM submission.diagnosis_key WHERE key_data = \(key.data.bytes)
                    """, as: [UInt8].self, Int32.self, Int16.self, Int16.self, Int16.self, Int16.self)
            }
            let (data, start, period, level, onset, report) = try #require(row)
            #expect(data == key.data.bytes)
            #expect(start == Int32(key.rollingPeriod.start.rawValue))
            #expect(period == 144)
            #expect(level == Int16(key.transmissionRiskLevel.rawValue))
            #expect(onset == Int16(key.daysSinceOnsetOfSymptoms.rawValue))
            #expect(report == Int16(key.reportType.rawValue))
        }
    }

    @Test("a key in two uploads of an hour, or folded in an earlier hour, is there once")
    func duplicates() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            try await stage.upload(try Samples.keys(2..<5))
            #expect(try await stage.fold(before: Self.next).keys == 5)

            stage.clock.advance(by: 3600)
            try await stage.upload(try Samples.keys(4..<7))
            #expect(try await stage.fold(before: Self.next.advanced(by: 1)).keys == 2)

            // A day later the keys lie in another partition.
            stage.clock.advance(by: 86_400)
            try await stage.foldNow()
            try await stage.upload(try Samples.keys(0..<8))
            #expect(try await stage.fold(before: Self.next.advanced(by: 25)).keys == 1)

            let folded = try await stage.foldedKeys()
            #expect(Set(folded.map(\.data)) == Set(try Samples.keys(0..<8).map(\.data)))
            #expect(folded.count == 8)
        }
    }

    @Test("a key that came from another country is left out, and its fillers are those of an upload without it")
    func fromAbroad() async throws {
        try await FoldStage.run { stage in
            let keys = try Samples.keys(0..<3)
            try await stage.asSuperuser { try Self.store(keys.dropFirst(), $0) }
            try await stage.upload(keys)
            #expect(try await stage.fold(before: Self.next).keys == 1)
            #expect(try await stage.foldedKeys() == [FoldStage.FoldedKey(hour: Samples.hour, data: keys[0].data)])
            let published = try await stage.streamedKeys().count { $0.isPublishedAtOnce }
            #expect(published == 140)
            #expect(try await Self.keysInBothTables(stage) == 0)
        }
    }

    @Test("a fold waits for an import that has begun, and leaves out its keys")
    func importedMeanwhile() async throws {
        try await FoldStage.run { stage in
            let keys = try Samples.keys(0..<3)
            try await stage.upload(keys)
            try await OpenTransaction.hold(stage.database.superuserConnection) { session in
                try session.execute("SELECT foreign_keys.take_import_lock()")
                try Self.store(keys.dropFirst(), session)
            } while: { release in
                async let report = stage.fold(before: Self.next)
                let waiting: SQL = """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = 'vigil_fold' AND wait_event = 'advisory'
                    """
                while try await stage.count(waiting) == 0 { await Task.yield() }
                release()
                let folded = try await report.keys
                #expect(folded == 1)
            }
            #expect(try await Self.keysInBothTables(stage) == 0)
        }
    }

    @Test("an import that never ends doesn't stop the fold")
    func endlessImport() async throws {
        try await FoldStage.run { stage in
            try await stage.asSuperuser { session in
                try session.script("ALTER FUNCTION foreign_keys.wait_for_imports() SET lock_timeout = '50ms'")
            }
            try await stage.upload(try Samples.keys(0..<3))
            try await OpenTransaction.hold(stage.database.superuserConnection) { session in
                try session.execute("SELECT foreign_keys.take_import_lock()")
            } while: { _ in
                let folded = try await stage.fold(before: Self.next).keys
                #expect(folded == 3)
            }
        }
    }

    /// Stores keys as other countries'. What else is known of them doesn't matter.
    private static func store(_ keys: some Sequence<DiagnosisKey>, _ session: Session) throws {
        for key in keys {
            let start = Int32(key.rollingPeriod.start.rawValue)
            try session.execute("SELECT foreign_keys.ensure_day(\(start / Int32(IntervalNumber.perDay)))")
            try session.execute(
                """
                INSERT INTO foreign_keys.diagnosis_key (
                    hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type,
                    origin, visited)
                VALUES (1, \(key.data.bytes), \(start), 1, 8, 0, 1, 'FR', 'FRIT')
                """)
        }
    }

    /// Those would be published twice.
    private static func keysInBothTables(_ stage: FoldStage) async throws -> Int {
        try await stage.count(
            "SELECT count(*) FROM submission.diagnosis_key JOIN foreign_keys.diagnosis_key USING (key_data)")
    }

    @Test("a key whose uploads contradict each other is there once, and which one it is follows from content")
    func contradiction() async throws {
        let key = try Samples.key(0)
        let shorter = DiagnosisKey(
            data: key.data, rollingPeriod: try #require(RollingPeriod(start: key.rollingPeriod.start, length: 6)),
            transmissionRiskLevel: key.transmissionRiskLevel,
            daysSinceOnsetOfSymptoms: key.daysSinceOnsetOfSymptoms, reportType: key.reportType)
        for uploads in [[key, shorter], [shorter, key]] {
            try await FoldStage.run { stage in
                for key in uploads { try await stage.upload([key]) }
                try await stage.fold(before: Self.next)
                #expect(try await stage.foldedKeys().map(\.data) == [key.data])
                let data = key.data.bytes
                let period = try await stage.count(
                    "SELECT rolling_period::bigint FROM submission.diagnosis_key WHERE key_data = \(data)")
                #expect(period == 6)
            }
        }
    }

    @Test("an upload of which nothing is left to keep folds to nothing")
    func empty() async throws {
        try await FoldStage.run { stage in
            try await stage.upload([])
            let report = try await stage.fold(before: Self.next)
            #expect(report == Fold.Report(lastHour: Self.hour.number, uploads: [1], keys: 0))
            #expect(try await stage.foldedHours() == [.init(hour: Self.hour, keys: 0)])
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("more keys than fit one statement come out complete and in order")
    func batches() async throws {
        try await FoldStage.run { stage in
            // 10,500 keys, 14 an upload, stored as the inbox stores them but faster.
            let key = try #require(try await InboxStore(stage.server).openKey(atOrAfter: Self.hour))
            let uploads = try (0..<750).map { number in
                (Digest(sha256: "upload \(number)".utf8), try Samples.content(number * 14..<number * 14 + 14))
            }
            let sealed = try SealedUpload.seal(uploads, to: key)
            try await stage.asSuperuser { session in
                _ = try session.execute(
                    """
                    INSERT INTO submission.inbox (tag, hour, sealed)
                    SELECT tag, \(key.hour.number), sealed
                    FROM unnest(\(uploads.map(\.0.bytes)), \(sealed.map(\.bytes))) AS stored (tag, sealed)
                    """)
            }
            #expect(try await stage.fold(before: Self.next).keys == 10_500)
            #expect(try await stage.foldedKeys().map(\.data) == Self.sorted(try Samples.keys(0..<10_500)))
        }
    }

    @Test("reports come out, each once, in the order of their content, also when they come again another day")
    func reports() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.content(0..<2, reports: 0..<5))
            try await stage.upload(try Samples.content(reports: 3..<8))
            let report = try await stage.fold(before: Self.next)
            #expect(report == Fold.Report(lastHour: Self.hour.number, uploads: [2], keys: 2, reports: 8))
            #expect(try await stage.foldedReports() == Samples.reports(0..<8).sorted())

            stage.clock.advance(by: 86_400)
            try await stage.foldNow()
            try await stage.upload(try Samples.content(reports: 6..<9))
            #expect(try await stage.fold(before: Self.next.advanced(by: 24)).reports == 1)
            #expect(try await stage.foldedReports().sorted() == Samples.reports(0..<9).sorted())
        }
    }

    // MARK: Fillers

    /// How many keys of an hour phones would see at once, and how many reports the hour has.
    private static func published(of stage: FoldStage, in hour: Hour) async throws -> (keys: Int, reports: Int) {
        // The end of a key's period, two hours on, must lie before the hour.
        let end = Int32(hour.startSeconds / 600 - 12)
        let keys = try await stage.count(
            """
            SELECT count(*) FROM submission.diagnosis_key
            WHERE hour = \(hour.number) AND transmission_risk_level >= 3 AND rolling_start + rolling_period <= \(end)
            """)
        let reports = try await stage.count(
            "SELECT count(*) FROM submission.check_in_report WHERE hour = \(hour.number)")
        return (keys, reports)
    }

    @Test("an hour without an upload, and one with a few, have as many keys and reports", arguments: [0, 1, 5])
    func filled(uploads: Int) async throws {
        try await FoldStage.run { stage in
            for upload in 0..<uploads {
                try await stage.upload(
                    try Samples.content(upload * 14..<upload * 14 + 14, reports: upload * 3..<upload * 3 + 3))
            }
            let report = try await stage.fold(before: Self.next)
            #expect(report.uploads == [uploads])
            #expect(report.keys == uploads * 14 && report.reports == uploads * 3)
            let published = try await Self.published(of: stage, in: Self.hour)
            #expect(published.keys == 140 && published.reports == 140)
        }
    }

    @Test("a crowded hour is filled up to the next size, a quarter away at most")
    func crowded() async throws {
        try await FoldStage.run { stage in
            for upload in 0..<20 {
                try await stage.upload(
                    try Samples.content(upload * 14..<upload * 14 + 14, reports: upload * 9..<upload * 9 + 9))
            }
            try await stage.fold(before: Self.next)
            let published = try await Self.published(of: stage, in: Self.hour)
            // Of 280 keys three quarters have a risk level that is published: 210.
            #expect(published.keys == 218 && published.reports == 218)
        }
    }

    @Test(
        "nothing in a row tells a filler: rows are in the order of content, of one transaction, and all fields are in use"
    )
    func fillersAmongOthers() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.content(0..<14, reports: 0..<3))
            try await stage.fold(before: Self.next)
            let (keys, reports) = try await stage.asSuperuser { session in
                let keys = try session.rows(
                    """
                    SELECT rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type, key_data
                    FROM submission.diagnosis_key ORDER BY tableoid, ctid
                    """, as: Int32.self, Int16.self, Int16.self, Int16.self, Int16.self, [UInt8].self)
                let reports = try session.rows(
                    "SELECT location_id_hash FROM submission.check_in_report ORDER BY ctid", as: [UInt8].self)
                return (keys, reports)
            }
            for (one, other) in zip(keys, keys.dropFirst()) {
                let first = (Int(one.0), Int(one.1), Int(one.2), Int(one.3), Int(one.4))
                let second = (Int(other.0), Int(other.1), Int(other.2), Int(other.3), Int(other.4))
                #expect(first < second || (first == second && one.5.lexicographicallyPrecedes(other.5)))
            }
            #expect(zip(reports, reports.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
            for table in ["diagnosis_key", "check_in_report"] {
                let name = try #require(Identifier(validating: table))
                let schema = try #require(Identifier(validating: "submission"))
                #expect(
                    try await stage.count(
                        "SELECT count(DISTINCT xmin::text) FROM \(identifier: schema).\(identifier: name)") == 1)
            }
        }
    }

    @Test(
        "an hour with a single uploader is counted as such, and what was left out too; the counters move with the fold only"
    )
    func counted() async throws {
        try await FoldStage.run { stage in
            var content = try Samples.content(0..<3, reports: 0..<2)
            content.left = .init(keys: 2, reports: 5)
            try await stage.upload(content)
            stage.clock.advance(by: 3600)
            try await stage.upload(try Samples.content(3..<5))
            try await stage.upload(try Samples.content(5..<6))
            let before = stage.metrics.text
            #expect(before.contains("folded_hours_total{uploads=\"one\"} 0"))
            let report = try await stage.fold(before: Self.next.advanced(by: 2))
            #expect(report.uploads == [1, 2, 0] && report.singlePersonHours == 1)
            let after = stage.metrics.text
            for line in [
                "folded_hours_total{uploads=\"none\"} 1", "folded_hours_total{uploads=\"one\"} 1",
                "folded_hours_total{uploads=\"several\"} 1", "folded_keys_total 6", "folded_reports_total 2",
                "left_out_keys_total 2", "left_out_reports_total 5", "missing_hour_keys_total 0",
            ] {
                #expect(after.contains(line), "\(line)")
            }
        }
    }

    // MARK: Expired keys

    /// A key of a day before ``Samples/day`` with a period.
    private static func key(_ number: Int, age: Int, period: UInt32) throws -> DiagnosisKey {
        let key = try Samples.key(number, day: Samples.day.advanced(by: -age))
        return DiagnosisKey(
            data: key.data, rollingPeriod: try #require(RollingPeriod(start: key.rollingPeriod.start, length: period)),
            transmissionRiskLevel: key.transmissionRiskLevel, daysSinceOnsetOfSymptoms: key.daysSinceOnsetOfSymptoms,
            reportType: key.reportType)
    }

    @Test(
        "however late an hour is folded, no key whose period ended more than 14 days ago is kept, filler or not, and no other is lost",
        arguments: [0, 1, 11, 12, 36, 5 * 24, 13 * 24, 14 * 24 + 1, 20 * 24])
    func expired(hoursLate: Int) async throws {
        try await FoldStage.run { stage in
            let sent = try (-1...16).flatMap { age in
                try [6, 72, 144].map { try Self.key((age + 1) * 200 + Int($0), age: age, period: $0) }
            }
            for keys in [
                sent.prefix(14), sent.dropFirst(14).prefix(14), sent.dropFirst(28).prefix(14), sent.dropFirst(42),
            ] {
                try await stage.upload(Array(keys))
            }
            let instant = Self.next.advanced(by: hoursLate).start
            let report = try await stage.fold(before: Self.next.advanced(by: hoursLate))
            let expected = sent.filter { key in
                let end = Double(key.inWholeHours.rollingPeriod.end.startSeconds)
                return key.rollingPeriod.start <= IntervalNumber(containing: Samples.now)
                    && end + 14 * 86_400 >= instant.timeIntervalSince1970
            }
            #expect(Set(try await stage.foldedKeys().map(\.data)) == Set(expected.map(\.data)))
            #expect(report.keys == expected.count)
            // What waited for more than fifteen days isn't looked at.
            #expect(report.left.keys == (hoursLate < 15 * 24 ? sent.count - expected.count : 0))
            let firstEnd = Int32(instant.timeIntervalSince1970 / 600) - 14 * 144
            let expiredRows = try await stage.count(
                "SELECT count(*) FROM submission.diagnosis_key WHERE rolling_start + rolling_period < \(firstEnd)")
            #expect(expiredRows == 0)
        }
    }

    @Test("the last hour of a day, which is folded on the next, is as large as any other")
    func lastHour() async throws {
        try await FoldStage.run { stage in
            let last = Samples.day.lastHour
            stage.clock.set(last.end.addingTimeInterval(-3599))
            try await stage.foldNow()
            try await stage.upload(
                try (0...14).dropFirst().map { try Samples.key($0, day: Samples.day.advanced(by: -$0)) })
            stage.clock.set(last.end.addingTimeInterval(2))
            try await stage.foldNow()
            let published = try await Self.published(of: stage, in: last)
            #expect(published.keys == 140 && published.reports == 140)
            let oldest = Int32(Samples.day.advanced(by: -13).firstInterval.rawValue)
            #expect(
                try await stage.count(
                    "SELECT count(*) FROM submission.diagnosis_key WHERE hour = \(last.number) AND rolling_start < \(oldest)"
                ) == 0)
            #expect(try await stage.foldedKeys().filter { $0.hour == last }.count == 13)
        }
    }

    // MARK: What remains

    @Test("a row of common size is kept in one piece, a large one isn't, and both are gone with the fold")
    func onePiece() async throws {
        try await FoldStage.run { stage in
            let elsewhere: SQL = """
                SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'submission.inbox'::regclass
                """
            let key = try #require(try await InboxStore(stage.server).openKey(atOrAfter: Self.hour))
            func store(_ number: Int, _ content: UploadContent, _ room: SealedUpload.Room) async throws {
                let tag = Samples.tag(number)
                let sealed = try SealedUpload.seal([(tag, content, room)], to: key)
                let rows = sealed.map { InboxRow(tag: tag, hour: key.hour, sealed: $0) }
                #expect(try await InboxStore(stage.server).insert(rows, sealedTo: key))
            }
            for upload in 0..<10 {
                try await store(upload, try Samples.content(upload * 14..<upload * 14 + 14), .common)
            }
            #expect(try await stage.count(elsewhere) == 0)
            try await store(10, try Samples.content(140..<141, reports: 0..<280), .large)
            #expect(try await stage.count(elsewhere) > 0)
            let report = try await stage.fold(before: Self.next)
            #expect(report == Fold.Report(lastHour: Self.hour.number, uploads: [11], keys: 141, reports: 280))
            #expect(try await stage.foldedReports() == Samples.reports(0..<280).sorted())
            #expect(try await stage.waiting() == 0)
            // Nothing but vacuum is needed to forget the pieces, as with any row.
            try await stage.asSuperuser { session in _ = try session.execute("VACUUM submission.inbox") }
            #expect(try await stage.count(elsewhere) == 0)
        }
    }

    @Test("after the fold nothing says which keys came together: order is content, one transaction, no tag, no key")
    func unlinkable() async throws {
        try await FoldStage.run { stage in
            let tags = (0..<20).map { Digest(sha256: "unlinkable \($0)".utf8) }
            for (number, tag) in tags.enumerated() {
                try await stage.inbox.take(Samples.content(number * 5..<number * 5 + 5), tag: tag, isKept: true)
            }
            let before = try await Self.tables(of: stage, containing: tags)
            #expect(before == ["inbox"])
            #expect(try stage.keyFiles().contains(stage.directory.key(of: Self.hour).lastPathComponent))

            try await stage.fold(before: Self.next)

            #expect(try await Self.tables(of: stage, containing: tags).isEmpty)
            #expect(try await stage.foldedKeys().map(\.data) == Self.sorted(try Samples.keys(0..<100)))
            #expect(try await stage.count("SELECT count(DISTINCT xmin::text) FROM submission.diagnosis_key") == 1)
            #expect(try await stage.count("SELECT count(DISTINCT cmin::text) FROM submission.diagnosis_key") == 1)
            #expect(try stage.keyFiles().allSatisfy { $0 > stage.directory.key(of: Self.hour).lastPathComponent })
            let open = try await stage.count(
                "SELECT count(*) FROM submission.hour_key WHERE hour <= \(Self.hour.number) AND NOT closed")
            #expect(open == 0)
        }
    }

    /// The tables that have one of the tags in any row.
    private static func tables(of stage: FoldStage, containing tags: [Digest]) async throws -> Set<String> {
        try await stage.asSuperuser { session in
            let tables = try session.rows(
                "SELECT schemaname::text, tablename::text FROM pg_tables WHERE schemaname !~ '^(pg_|information_)'",
                as: String.self, String.self)
            var found: Set<String> = []
            for (schema, table) in tables {
                let schemaName = try #require(Identifier(validating: schema))
                let tableName = try #require(Identifier(validating: table))
                for tag in tags {
                    let rows = try session.row(
                        """
                        SELECT count(*) FROM \(identifier: schemaName).\(identifier: tableName) AS looked_at
                        WHERE position(\(tag.hex) IN looked_at::text) > 0
                        """, as: Int64.self)
                    if rows != 0 { found.insert(table) }
                }
            }
            return found
        }
    }

    // MARK: Again, later, together

    @Test("a second fold of the same hour changes nothing")
    func repeated() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<5))
            try await stage.fold(before: Self.next)
            let before = try await stage.outcome()
            let report = try await stage.fold(before: Self.next)
            #expect(report == Fold.Report(lastHour: Self.hour.number))
            #expect(try await stage.outcome() == before)
            // Nor does one that comes too late.
            try await stage.fold(before: Self.hour)
            #expect(try await stage.outcome() == before)
        }
    }

    @Test("uploads before and after an hour's end are folded with their own hours")
    func hours() async throws {
        try await FoldStage.run { stage in
            stage.clock.set(Self.hour.end.addingTimeInterval(-0.001))
            try await stage.upload(try Samples.keys(0..<2))
            stage.clock.set(Self.hour.end)
            try await stage.upload(try Samples.keys(2..<5))
            #expect(try await stage.fold(before: Self.next).keys == 2)
            #expect(try await stage.waiting() == 1)
            #expect(try await stage.fold(before: Self.next.advanced(by: 1)).keys == 3)
            #expect(
                try await stage.foldedHours() == [.init(hour: Self.hour, keys: 2), .init(hour: Self.next, keys: 3)])
        }
    }

    @Test("an upload that finds its hour closed goes to the next one")
    func closed() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<1))
            // The server's clock has not reached the end of the hour that is folded.
            try await stage.fold(before: Self.next)
            try await stage.upload(try Samples.keys(1..<2))
            #expect(try await stage.count("SELECT hour::bigint FROM submission.inbox") == Int(Self.next.number))
            try await stage.fold(before: Self.next.advanced(by: 1))
            #expect(
                try await stage.foldedKeys() == [
                    .init(hour: Self.hour, data: try Samples.key(0).data),
                    .init(hour: Self.next, data: try Samples.key(1).data),
                ])
        }
    }

    @Test("two hundred uploads race with the folds of ten hours, and each is folded exactly once")
    func race() async throws {
        try await FoldStage.run { stage in
            // All clocks may advance before the first upload: as in production, the later hours have keys by then.
            try await stage.fold.store.makeKeys(from: Samples.hour, count: 1 + Fold.hoursAhead, in: stage.fold.files)
            // One server's clock is behind, as clocks are.
            let behind = ManualClock(stage.clock.now.addingTimeInterval(-3))
            let stored = try await stage.withReplica(behind) { replica in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for number in 0..<200 {
                        let inbox = number % 2 == 0 ? stage.inbox : replica
                        group.addTask {
                            do {
                                try await inbox.take(
                                    try Samples.content(number * 3..<number * 3 + 3), tag: Samples.tag(number),
                                    isKept: true)
                                return number
                            } catch is NoOpenHour {
                                // Told that it is not stored.
                                return nil
                            }
                        }
                    }
                    for _ in 0..<10 {
                        group.addTask {
                            stage.clock.advance(by: 3600)
                            behind.advance(by: 3600)
                            try await stage.foldNow()
                            return nil
                        }
                    }
                    return try await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
                }
            }
            // On the same day: the oldest keys expire with it.
            stage.clock.advance(by: 3600)
            try await stage.foldNow()

            let folded = try await stage.foldedKeys().map(\.data)
            #expect(folded.count == Set(folded).count)
            let missing = try stored.flatMap { try Samples.keys($0 * 3..<$0 * 3 + 3).map(\.data) }
                .filter { !Set(folded).contains($0) }
            #expect(missing.isEmpty)
            #expect(stored.count > 150)
            #expect(try await stage.waiting() == 0)
            let hours = try await stage.foldedHours()
            #expect(hours.map(\.keys).reduce(0, +) == folded.count)
            #expect(zip(hours, hours.dropFirst()).allSatisfy { $0.hour.advanced(by: 1) == $1.hour })
        }
    }

    @Test("two folds at once do the work of one")
    func twice() async throws {
        try await FoldStage.run { stage in
            for upload in 0..<20 { try await stage.upload(try Samples.keys(upload * 5..<upload * 5 + 5)) }
            async let one = stage.fold(before: Self.next)
            async let other = stage.fold(before: Self.next)
            let reports = try await [one, other]
            #expect(reports.map(\.keys).sorted() == [0, 100])
            #expect(try await stage.foldedKeys().map(\.data) == Self.sorted(try Samples.keys(0..<100)))
        }
    }

    @Test("after an outage every missed hour is folded, each with its own uploads")
    func outage() async throws {
        try await FoldStage.run { stage in
            try await stage.fold(before: Self.hour)
            try await stage.upload(try Samples.keys(0..<2))
            stage.clock.advance(by: 2 * 3600)
            try await stage.upload(try Samples.keys(2..<5))
            #expect(try await stage.fold(before: Self.hour.advanced(by: 5)).keys == 5)
            #expect(
                try await stage.foldedHours()
                    == zip(-1...4, [0, 2, 0, 3, 0, 0]).map {
                        .init(hour: Self.hour.advanced(by: $0), keys: $1)
                    })
            #expect(
                Set(try await stage.foldedKeys().map(\.hour)) == [Self.hour, Self.hour.advanced(by: 2)])
        }
    }

    @Test("an outage that outlasts the keys leaves no more hours than keys are kept")
    func longOutage() async throws {
        try await FoldStage.run { stage in
            try await stage.fold(before: Self.hour)
            let later = Self.hour.advanced(by: 40 * 24)
            stage.clock.set(later.start)
            try await stage.foldNow()
            try await stage.upload([try Samples.key(1, day: later.day.advanced(by: -1))])
            try await stage.fold(before: later.advanced(by: 1))
            let hours = try await stage.foldedHours().map(\.hour)
            #expect(hours.last == later)
            #expect(hours.count <= 1 + 15 * 24 + 2)
            #expect(try await stage.foldedKeys().map(\.hour) == [later])
        }
    }
}
