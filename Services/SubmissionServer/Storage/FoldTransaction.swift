import Credentials
import ExposureKeys
import Postgres
import Schema
import Venues

/// The tables that a fold reads and writes.
struct FoldTransaction {
    let session: Session

    /// Rows that are read at a time: usually four megabytes, at most 27.
    private static let batch: Int64 = 1000

    /// The last folded hour; nil before the first fold.
    func lastFoldedHour() throws -> Hour? {
        try session.row("SELECT max(hour) FROM submission.folded_hour", as: Int32?.self).flatMap { $0 }
            .map(Hour.init(number:))
    }

    /// Reads the waiting rows in batches, in the order of their tags, which reveals nothing.
    func readInbox(through last: Hour, _ body: ([InboxRow]) throws -> Void) throws {
        var after: [UInt8] = []
        while true {
            let rows = try session.rows(
                """
                SELECT tag, hour, sealed FROM submission.inbox
                WHERE hour <= \(last.number) AND tag > \(after) ORDER BY tag LIMIT \(Self.batch)
                """, as: [UInt8].self, Int32.self, [UInt8].self)
            try body(
                rows.compactMap { tag, hour, sealed in
                    Digest(bytes: tag).map {
                        InboxRow(tag: $0, hour: Hour(number: hour), sealed: SealedUpload(bytes: sealed))
                    }
                })
            guard rows.count == Self.batch, let lastTag = rows.last?.0 else { return }
            after = lastTag
        }
    }

    /// The keys among these that were folded in earlier hours, or that came from another country.
    ///
    /// Until the end of the transaction no other comes from there.
    func known(among keys: Set<KeyData>) throws -> Set<KeyData> {
        guard !keys.isEmpty else { return [] }
        try session.execute("SELECT foreign_keys.wait_for_imports()")
        var known: Set<KeyData> = []
        // All of two weeks are read; looking up each key would take longer.
        for table: SQL in [
            "SELECT key_data FROM submission.diagnosis_key", "SELECT key_data FROM foreign_keys.diagnosis_key",
        ] {
            try session.copyOut(table) { row in
                let words = try row.words()
                let data = KeyData(high: words.high, low: words.low)
                if keys.contains(data) { known.insert(data) }
            }
        }
        return known
    }

    /// The reports among these that were folded in earlier hours.
    func known(among reports: Set<CheckInReport>) throws -> Set<CheckInReport> {
        guard !reports.isEmpty else { return [] }
        var known: Set<CheckInReport> = []
        try session.copyOut(
            """
            SELECT location_id_hash, initialization_vector, encrypted_record, authentication_code
            FROM submission.check_in_report
            """
        ) { row in
            let bytes = try (0..<4).flatMap { _ in try row.next([UInt8].self) }
            guard let report = CheckInReport(bytes), reports.contains(report) else { return }
            known.insert(report)
        }
        return known
    }

    /// The venue reports among these that were folded in earlier hours.
    func known(among reports: Set<VenueReport>) throws -> Set<VenueReport> {
        guard !reports.isEmpty else { return [] }
        var known: Set<VenueReport> = []
        try session.copyOut("SELECT report FROM submission.venue_report") { row in
            guard let report = VenueReport(try row.next([UInt8].self)), reports.contains(report) else { return }
            known.insert(report)
        }
        return known
    }

    /// Inserts an hour's keys and reports in the order given. None may exist yet.
    func insert(
        _ keys: [StreamedKey], _ reports: [CheckInReport], _ venueReports: [VenueReport], hour: Hour
    ) throws {
        try session.execute("SELECT submission.ensure_day(\(hour.day.number))")
        try session.copyIn(
            into: """
                submission.diagnosis_key (
                    hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type,
                    is_federated)
                """,
            columns: Int32.self, KeyData.self, Int32.self, Int16.self, Int16.self, Int16.self, Int16.self, Bool.self
        ) { table in
            for streamed in keys {
                let key = streamed.key
                try table.row(
                    hour.number, key.data, Int32(key.rollingPeriod.start.rawValue),
                    Int16(key.rollingPeriod.length), Int16(key.transmissionRiskLevel.rawValue),
                    Int16(key.daysSinceOnsetOfSymptoms.rawValue), Int16(key.reportType.rawValue),
                    streamed.stream == .federated)
            }
        }
        try session.copyIn(
            into: """
                submission.check_in_report (
                    hour, location_id_hash, initialization_vector, encrypted_record, authentication_code)
                """,
            columns: Int32.self, [UInt8].self, [UInt8].self, [UInt8].self, [UInt8].self
        ) { table in
            for report in reports {
                try table.row(
                    hour.number, Array(report.locationIDHash), Array(report.initializationVector),
                    Array(report.encryptedRecord), Array(report.authenticationCode))
            }
        }
        try session.copyIn(
            into: "submission.venue_report (hour, report)", columns: Int32.self, [UInt8].self
        ) { table in
            for report in venueReports { try table.row(hour.number, report.bytes) }
        }
        try session.execute(
            "INSERT INTO submission.folded_hour (hour, keys) VALUES (\(hour.number), \(Int32(keys.count)))")
    }

    func emptyInbox(through last: Hour) throws {
        try session.execute("DELETE FROM submission.inbox WHERE hour <= \(last.number)")
    }
}
