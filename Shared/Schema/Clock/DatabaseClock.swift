package import FoundationEssentials
package import HTTPContract
package import Postgres
package import Running

/// The database's clock, by which hours end and rows grow too old (design decision 12).
///
/// Whatever closes an hour, publishes it or forgets goes by an instant that a service's clock or an operator gave. A clock that is
/// days ahead would make it drop uploads that wait and partitions that are valid, so that instant is held against this clock first:
/// all services share it. A clock that is behind destroys nothing, as long as nothing is dropped because it seems to be of the
/// future; ``ClockWatch`` reports both.
///
/// In a rehearsal both clocks are moved alike. That takes two who say so: the service, by `clock.offset`, and the database, which
/// its superuser has marked. A service with a moved clock refuses any other database, and one without ignores the mark.
package struct DatabaseClock: Sendable {
    private let database: PostgresClient
    private let clock: WallClock

    /// Seconds by which an instant may be ahead of the clock: far more than two machines with NTP differ, and far less than
    /// anything is kept.
    package static let tolerance: TimeInterval = 300

    /// The clock of a service's database.
    /// - Throws: ``MovedClock`` when the service's clock is moved and the database isn't a rehearsal's.
    package init(of runtime: ServiceRuntime, in database: PostgresClient) async throws {
        self.init(of: database, movedLike: runtime.clock)
        if runtime.isRehearsal, try await !isRehearsal() { throw MovedClock() }
    }

    /// The clock of a database, without asking whether the database puts up with a moved one.
    package init(of database: PostgresClient, movedLike clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// Refuses an instant that the database's clock hasn't reached, give or take five minutes. Once it passed it always will.
    /// - Throws: ``ClockAhead``.
    package func require(_ instant: Date) async throws {
        let clock = clock
        let now = try await database.session { try Self.now(in: $0) + clock.movedBy }
        if let problem = ClockAhead(instant, by: now) { throw problem }
    }

    /// Refuses to call anything a thing of the future when the service's clock is more than five minutes behind.
    /// - Throws: ``ClockBehind``.
    package func requirePresent() async throws {
        guard try await lead() >= -Self.tolerance else { throw ClockBehind() }
    }

    /// By how many seconds the service's clock is ahead of this one; negative when it is behind.
    package func lead() async throws -> TimeInterval {
        let clock = clock
        return try await database.session { session in
            // Before the question: the time that an answer takes must not make a clock look ahead.
            let own = clock.now
            return own.timeIntervalSince(try Self.now(in: session) + clock.movedBy)
        }
    }

    private static func now(in session: Session) throws -> Date {
        guard let now = try session.row("SELECT clock_timestamp()", as: Date.self) else { throw MissingTime() }
        return now
    }

    /// Whether the database's superuser has called it a rehearsal's: `ALTER DATABASE … SET vigil.rehearsal = 'on'`. The catalogue is
    /// asked, and not the session's setting, which a connection string could make.
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

/// An instant is too far ahead of the database's clock, so that nothing was done by it.
package struct ClockAhead: OperatorProblem, Equatable {
    /// By how much.
    package let seconds: Int

    /// Nil unless the instant is more than ``DatabaseClock/tolerance`` ahead.
    init?(_ instant: Date, by now: Date) {
        let lead = instant.timeIntervalSince(now)
        guard lead > DatabaseClock.tolerance else { return nil }
        seconds = Int(clamping: Int64(lead))
    }

    package var description: String {
        "The instant is \(seconds) s ahead of the database's clock, so nothing was done: set the clock right that is wrong, this "
            + "machine's or the database's; --as-of takes only what has passed."
    }
}

/// The service's clock is too far behind the database's for what was asked.
package struct ClockBehind: OperatorProblem, Equatable {
    package var description: String {
        "The clock is behind the database's, so nothing was done: set the clock right that is wrong, this machine's or the database's."
    }
}

/// A phone tries again, and the clock may be right by then.
extension ClockAhead: ProblemConvertible {
    package var problem: Problem { .unavailable }
}

extension ClockBehind: ProblemConvertible {
    package var problem: Problem { .unavailable }
}

/// A service's clock is moved, and its database isn't a rehearsal's.
package struct MovedClock: OperatorProblem, Equatable {
    package var description: String {
        "clock.offset moves the clock, and the database isn't a rehearsal's: remove the setting. For a rehearsal the database's "
            + "superuser says ALTER DATABASE … SET vigil.rehearsal = 'on'."
    }
}
