package import FoundationEssentials
package import HTTPContract
package import Postgres
package import Running

/// The database's clock, which decides when hours end and when rows expire.
///
/// Folding, publishing and retention work up to an instant that a service's clock or an operator gave. If that clock were days
/// ahead, waiting uploads and valid partitions would be deleted. So the instant is first compared with the database's clock,
/// which all services share. A clock that is behind deletes nothing, as long as nothing is rejected for lying in the future.
/// ``ClockWatch`` reports both.
///
/// In a rehearsal both clocks are moved by the same time. The service is configured with `clock.offset` or `clock.file`, and the database's
/// superuser has marked the database. A service with a moved clock refuses any other database; one without ignores the mark.
package struct DatabaseClock: Sendable {
    private let database: PostgresClient
    private let clock: WallClock

    /// Seconds by which an instant may be ahead of the clock: far more than the clocks of two machines with NTP differ, and far
    /// less than any retention period.
    package static let tolerance: TimeInterval = 300

    /// The clock of a service's database.
    /// - Throws: ``MovedClock`` when the service's clock is moved and the database isn't a rehearsal's.
    package init(of runtime: ServiceRuntime, in database: PostgresClient) async throws {
        self.init(of: database, movedLike: runtime.clock)
        if runtime.isRehearsal, try await !isRehearsal() { throw MovedClock() }
    }

    /// The clock of a database, without a check that a moved clock is allowed.
    package init(of database: PostgresClient, movedLike clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// Throws unless the database's clock has reached the instant, with a tolerance of five minutes.
    /// - Throws: ``ClockAhead``.
    package func require(_ instant: Date) async throws {
        let clock = clock
        let now = try await database.session { try Self.now(in: $0) + clock.movedBy }
        if let problem = ClockAhead(instant, by: now) { throw problem }
    }

    /// Throws when the service's clock is wrong by more than five minutes, before anything is refused for its time.
    /// - Throws: ``WrongClock``.
    package func requireAgreement() async throws {
        guard abs(try await lead()) <= Self.tolerance else { throw WrongClock() }
    }

    /// The seconds by which the service's clock is ahead of the database's; negative when it is behind.
    package func lead() async throws -> TimeInterval {
        let clock = clock
        return try await database.session { session in
            // Read before the query, so that the query's duration doesn't make the clock look ahead.
            let own = clock.now
            return own.timeIntervalSince(try Self.now(in: session) + clock.movedBy)
        }
    }

    private static func now(in session: Session) throws -> Date {
        guard let now = try session.row("SELECT clock_timestamp()", as: Date.self) else { throw MissingTime() }
        return now
    }

    /// Whether the database's superuser has marked it for rehearsals: `ALTER DATABASE … SET vigil.rehearsal = 'on'`.
    ///
    /// The mark is read from the catalogue: a connection string could change the session's setting.
    private func isRehearsal() async throws -> Bool {
        try await database.session { session in
            try session.row(
                """
                SELECT EXISTS (
                    SELECT FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
                    WHERE datname = current_database() AND setrole = 0 AND 'vigil.rehearsal=on' = ANY (setconfig)
                )
                """, as: Bool.self) ?? false
        }
    }

    private struct MissingTime: Error {}
}

/// An instant is too far ahead of the database's clock. Nothing has been done.
package struct ClockAhead: OperatorProblem, Equatable {
    /// How many seconds the instant is ahead.
    package let seconds: Int

    /// Nil unless the instant is more than ``DatabaseClock/tolerance`` ahead.
    init?(_ instant: Date, by now: Date) {
        let lead = instant.timeIntervalSince(now)
        guard lead > DatabaseClock.tolerance else { return nil }
        seconds = Int(clamping: Int64(lead))
    }

    package var description: String {
        "The instant is \(seconds) s ahead of the database's clock, so nothing was done: correct the clock that is wrong, this "
            + "machine's or the database's; --as-of accepts only instants in the past."
    }
}

/// The service's clock differs too much from the database's for what was asked.
package struct WrongClock: OperatorProblem, Equatable {
    package var description: String {
        "The clock differs from the database's, so nothing was done: correct the clock that is wrong, this machine's or the database's."
    }
}

/// The phone retries, and the clock may have been corrected by then.
extension ClockAhead: ProblemConvertible {
    package var problem: Problem { .unavailable }
}

extension WrongClock: ProblemConvertible {
    package var problem: Problem { .unavailable }
}

/// A service's clock is moved, and its database isn't marked for rehearsals.
package struct MovedClock: OperatorProblem, Equatable {
    package var description: String {
        "clock.offset or clock.file moves the clock, but the database isn't marked for rehearsals: remove the setting. For a "
            + "rehearsal the database's superuser runs ALTER DATABASE … SET vigil.rehearsal = 'on'."
    }
}
