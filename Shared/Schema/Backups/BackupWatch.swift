import Logging
import Metrics
package import Postgres
package import Running
import ServiceLifecycle

/// Reads every minute when the suite was last backed up, so that an alert reports a backup that stopped.
///
/// Metric: `backup_last_success_seconds{part}`, seconds since 1970, 0 if there never was one. It depends on no request.
///
/// `deploy/backup.sh` notes the instants in the database: Prometheus reaches only services, and a restored database then says how old
/// the backup is that it came from.
package struct BackupWatch: Service {
    private let database: PostgresClient
    private let gauges: [BackupPart: Gauge]

    private static let interval = Duration.seconds(60)

    /// Creates a watch. One service of the suite is enough.
    package init(_ database: PostgresClient, _ runtime: ServiceRuntime) {
        self.database = database
        gauges = Dictionary(
            uniqueKeysWithValues: BackupPart.allCases.map { part in
                let dimensions = [("part", part.rawValue)]
                return (
                    part, Gauge(label: "backup_last_success_seconds", dimensions: dimensions, factory: runtime.metrics)
                )
            })
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await read()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Reads once. The readiness check reports a database that doesn't answer.
    package func read() async {
        for (part, gauge) in gauges {
            guard let seconds = try? await BackupRecord.lastSuccess(of: part, in: database) else { continue }
            gauge.record(seconds)
        }
    }
}

/// What a backup consists of.
package enum BackupPart: String, CaseIterable, Sendable {
    case base, log
}

/// When the suite was last backed up: `ALTER DATABASE … SET vigil.backup_base = '1764374400'`, which only a superuser can.
///
/// Read from the catalogue, because a session that is already open keeps the setting that it began with.
enum BackupRecord {
    /// - Returns: seconds since 1970; 0 if nothing is noted, or something else than a number.
    static func lastSuccess(of part: BackupPart, in database: PostgresClient) async throws -> Int {
        let prefix = "vigil.backup_\(part.rawValue)="
        let noted = try await database.session { session in
            try session.row(
                """
                SELECT substr(entry, length(\(prefix)) + 1)
                FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase, unnest(setconfig) AS entry
                WHERE datname = current_database() AND setrole = 0 AND starts_with(entry, \(prefix))
                """, as: String.self)
        }
        return noted.flatMap { Int($0) } ?? 0
    }
}
