import ExposureKeys
import HourKeys
import Postgres
import Schema
import Venues

extension InboxTables {
    /// The tables of uploads. Rows that are read at a time have four megabytes as a rule, 27 at most.
    static let uploads = InboxTables(of: Identifier("submission"), batch: 1000)
}

extension FoldStore {
    /// - Parameter database: connected as `vigil_fold`.
    init(_ database: PostgresClient) { self.init(database, .uploads) }
}

/// The folded tables of uploads.
extension FoldTransaction {
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
}
