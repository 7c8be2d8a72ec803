import ExposureKeys
import FoundationEssentials
import Postgres
import Schema

/// The tables of the schema `foreign_keys`, which federation fills.
extension DistributionStore {
    /// The last hour of import to which no key is added any more; nil before the first.
    func lastImportedHour() async throws -> Hour? {
        try await database.session { session in
            try session.row("SELECT max(hour) FROM foreign_keys.imported_hour", as: Int32?.self)
        }.flatMap { $0 }.map(Hour.init(number:))
    }

    /// The foreign keys of a range, without those that have expired by an instant.
    func foreignKeys(
        released range: ReleaseRange, in regions: Regions, by policy: PublicationPolicy, at instant: Date
    ) async throws -> ReleasedForeignKeys {
        try await database.transaction { session in
            var read = ReleasedForeignKeys()
            try Self.readKeys(
                """
                SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, origin || visited
                FROM foreign_keys.diagnosis_key
                """, after: range.after, storedThrough: range.through.stored, by: policy, at: instant, in: session
            ) { release, period, key, row in
                guard release.isWithin(range.through) else { return }
                try row.text { read.keys.add(key, in: regions.regions(of: $0)) }
                read.counts.add(period, at: release)
            }
            return read
        }
    }

    /// A foreign key, the last imported if there are several; nil if there is none.
    func foreignKey(_ data: KeyData) async throws -> ForeignKey? {
        try await database.session { session in
            let row = try session.row(
                """
                SELECT hour, rolling_start, rolling_period, transmission_risk_level, origin, visited
                FROM foreign_keys.diagnosis_key WHERE key_data = \(data) ORDER BY hour DESC
                """, as: Int32.self, Int32.self, Int16.self, Int16.self, String.self, String.self)
            // The table's constraints are the types', so nothing is left out.
            guard let (hour, start, length, level, origin, visited) = row,
                let period = RollingPeriod(
                    start: IntervalNumber(rawValue: UInt32(clamping: start)), length: UInt32(clamping: length)),
                let level = TransmissionRiskLevel(rawValue: Int(level))
            else { return nil }
            return ForeignKey(
                imported: Hour(number: hour), rollingPeriod: period, level: level, origin: origin, visited: visited)
        }
    }
}

/// What is known of a foreign key, but for its data.
struct ForeignKey: Sendable {
    let imported: Hour
    let rollingPeriod: RollingPeriod
    let level: TransmissionRiskLevel
    /// The country that it came from.
    let origin: String
    /// The countries in which its person was, without separators.
    let visited: String

    /// All countries that it names.
    var countries: String { origin + visited }
}

/// The foreign keys of a range.
struct ReleasedForeignKeys: Sendable {
    var keys = ForeignKeys()
    /// The same keys, counted by where they stand.
    var counts = KeyCounts()
}
