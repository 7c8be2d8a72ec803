import ExposureKeys
import FederationFormat
import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@testable import Federation

/// A database with what home has folded and published, and the stores of one gateway.
struct FederationStage: Sendable {
    static let now = Date(timeIntervalSince1970: 1_795_525_200)  // 2026-11-24 13:00 UTC
    static let gateway = "efgs"

    let database: MigratedDatabase
    /// A client with the role of federation.
    let client: PostgresClient
    let superuser: PostgresClient

    static func run<Result: Sendable>(
        _ body: @Sendable (FederationStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection, maximumConnections: 1) { superuser in
                let configuration = PostgresConfiguration(
                    connection: database.connection(as: .federation), applicationName: "test", maximumConnections: 6,
                    acquireDeadline: .seconds(30), statementTimeout: .seconds(120))
                return try await TestPostgres.withClient(configuration) { client in
                    try await body(FederationStage(database: database, client: client, superuser: superuser))
                }
            }
        }
    }

    var outgoing: OutgoingStore {
        get throws {
            OutgoingStore(client, gateway: Self.gateway, origin: try CountryCode.home, policy: PublicationPolicy())
        }
    }
    var incoming: IncomingStore { IncomingStore(client, gateway: Self.gateway) }
    var status: StatusStore { StatusStore(client, gateway: Self.gateway) }

    // MARK: What home did

    /// Stores keys as the fold does.
    func fold(_ hour: Hour, _ keys: [StreamedKey]) async throws {
        try await superuser.transaction { session in
            for day in Set(keys.map { Int32($0.key.rollingPeriod.start.rawValue / 144) } + [hour.day.number]) {
                try session.execute("SELECT submission.ensure_day(\(day))")
            }
            try session.execute(
                """
                INSERT INTO submission.diagnosis_key (
                    hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                    report_type, is_federated)
                SELECT \(hour.number), data, start, period, level, 1, 1, stream > 0
                FROM unnest(
                    \(keys.map(\.key.data.bytes)), \(keys.map { Int32($0.key.rollingPeriod.start.rawValue) }),
                    \(keys.map { Int16($0.key.rollingPeriod.length) }),
                    \(keys.map { Int16($0.key.transmissionRiskLevel.rawValue) }),
                    \(keys.map { Int16($0.stream == .federated ? 1 : 0) })
                ) AS folded (data, start, period, level, stream)
                """)
        }
    }

    /// Marks hours as published by distribution, each with keys.
    func publish(_ hours: ClosedRange<Hour>, taking keys: Int32 = 140) async throws {
        try await superuser.session { session in
            _ = try session.execute(
                """
                INSERT INTO distribution.published_hour (hour, keys, first_end)
                SELECT hour, \(keys), CASE WHEN \(keys) > 0 THEN 1 END
                FROM generate_series(\(hours.lowerBound.number), \(hours.upperBound.number)) AS hours (hour)
                """)
        }
    }

    // MARK: What is stored

    /// The keys of all batches in a state.
    func shared(_ state: OutgoingState = .waiting) async throws -> [[FederatedKey]] {
        try await superuser.session { session in
            try session.rows(
                "SELECT content FROM federation.outgoing_batch WHERE state = \(state.rawValue) ORDER BY id",
                as: [UInt8].self
            ).map { try ReceivedBatch(protobuf: $0, limit: .max).keys }
        }
    }

    /// Imported keys with hour and origin.
    func imported() async throws -> [(hour: Hour, data: KeyData, origin: String)] {
        try await superuser.session { session in
            try session.rows(
                "SELECT hour, key_data, origin FROM foreign_keys.diagnosis_key", as: Int32.self, [UInt8].self,
                String.self
            ).compactMap { hour, data, origin in KeyData(data).map { (Hour(number: hour), $0, origin) } }
        }
    }
}

extension CountryCode {
    static var home: CountryCode { get throws { try #require(CountryCode("DE")) } }
    static var france: CountryCode { get throws { try #require(CountryCode("FR")) } }
}

/// Keys of tests.
enum Sample {
    /// A home key of the day before an instant.
    static func homeKeys(
        _ count: Int, seed: UInt64, daysAgo: Int = 1, at now: Date = FederationStage.now
    ) throws -> [DiagnosisKey] {
        var random = SeededGenerator(seed: seed)
        let start = Day(containing: now).advanced(by: -daysAgo).firstInterval
        return try (0..<count).map { _ in
            DiagnosisKey(
                data: KeyData(high: random.next(), low: random.next()),
                rollingPeriod: try #require(RollingPeriod(start: start, length: 144)),
                transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: Int(random.next() % 6) + 3)),
                daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: 1)), reportType: .confirmedTest)
        }
    }

    /// A good foreign key.
    static func foreignKey(
        seed: UInt64, origin: String = "FR", daysAgo: Int = 1, start: UInt32 = 0, period: UInt32 = 144,
        type: ReportType = .confirmedTest, onset: Int32 = 1, visited: [String] = ["DE"]
    ) throws -> FederatedKey {
        var random = SeededGenerator(seed: seed)
        let first = Day(containing: FederationStage.now).advanced(by: -daysAgo).firstInterval
        let period = try #require(
            RollingPeriod(start: IntervalNumber(rawValue: first.rawValue + start), length: period))
        let country = try #require(CountryCode(origin))
        return try #require(
            FederatedKey(
                data: KeyData(high: random.next(), low: random.next()), rollingPeriod: period, riskLevel: .unset,
                visitedCountries: visited.compactMap { CountryCode($0) }, origin: country, reportType: type,
                daysSinceOnset: onset))
    }
}

extension ImportRules {
    static func usual(countries: Set<CountryCode>? = nil) throws -> ImportRules {
        ImportRules(
            origin: try .home, countries: countries, reportTypes: usualTypes, lowestLevel: .lowestPublished)
    }
}
