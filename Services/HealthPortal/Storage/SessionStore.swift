import Credentials
import FoundationEssentials
import Postgres
import Schema

/// The officers' sessions in the schema `health_portal`.
struct SessionStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// A session that begins.
    struct New: Sendable {
        let id: Digest
        let subject: Digest
        let providerSession: Digest?
        /// Sealed.
        let officer: [UInt8]
        let minute: Int32
    }

    /// A session as it is stored.
    struct Row: Sendable {
        /// Sealed, both.
        let officer: [UInt8]
        let codes: [UInt8]?
        let codesVersion: Int32
        let openedMinute: Int32
        let usedMinute: Int32
    }

    /// A request's claim to refresh the tokens of a session.
    struct Claim: Sendable {
        /// Sealed, as it is stored now.
        let officer: [UInt8]
        /// Whether this request may refresh them; otherwise another one does, or failed to a moment ago.
        let isOurs: Bool
        let hasFailed: Bool
    }

    /// The session of an identifier; nil if there is none.
    func row(_ id: Digest) async throws -> Row? {
        try await database.session { session in
            try session.row(
                """
                SELECT officer, codes, codes_version, opened_minute, used_minute
                FROM health_portal.session WHERE id_hash = \(id.bytes)
                """, as: [UInt8].self, [UInt8]?.self, Int32.self, Int32.self, Int32.self
            ).map {
                Row(officer: $0.0, codes: $0.1, codesVersion: $0.2, openedMinute: $0.3, usedMinute: $0.4)
            }
        }
    }

    /// Stores a session, and deletes the browser's old one in the same transaction.
    func insert(_ new: New, replacing old: Digest?) async throws {
        try await database.transaction { session in
            if let old {
                try session.execute("DELETE FROM health_portal.session WHERE id_hash = \(old.bytes)")
            }
            try session.execute(
                """
                INSERT INTO health_portal.session (
                    id_hash, subject_hash, provider_session_hash, officer, opened_minute, used_minute
                ) VALUES (
                    \(new.id.bytes), \(new.subject.bytes), \(nullable: new.providerSession?.bytes), \(new.officer),
                    \(new.minute), \(new.minute)
                )
                """)
        }
    }

    /// Notes that a session is in use.
    func touch(_ id: Digest, minute: Int32) async throws {
        try await database.session { session in
            try session.execute(
                """
                UPDATE health_portal.session SET used_minute = \(minute)
                WHERE id_hash = \(id.bytes) AND used_minute < \(minute)
                """)
        }
    }

    /// Replaces what a session did with codes if it still has this version.
    ///
    /// - Returns: false if another request replaced it, or the session has ended.
    func update(_ id: Digest, codes: [UInt8], from version: Int32) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                UPDATE health_portal.session SET codes = \(codes), codes_version = codes_version + 1
                WHERE id_hash = \(id.bytes) AND codes_version = \(version)
                """) == 1
        }
    }

    // MARK: Refresh

    /// Claims the right to refresh a session's tokens until an instant, unless another request has it.
    ///
    /// - Returns: nil if there is no session.
    func claimRefresh(_ id: Digest, at now: Date, until end: Date) async throws -> Claim? {
        try await database.session { session in
            let claimed = try session.row(
                """
                UPDATE health_portal.session SET refresh_until = \(end), refresh_failed = false
                WHERE id_hash = \(id.bytes) AND (refresh_until IS NULL OR refresh_until <= \(now))
                RETURNING officer
                """, as: [UInt8].self)
            if let claimed { return Claim(officer: claimed, isOurs: true, hasFailed: false) }
            return try session.row(
                "SELECT officer, refresh_failed FROM health_portal.session WHERE id_hash = \(id.bytes)",
                as: [UInt8].self, Bool.self
            ).map { Claim(officer: $0.0, isOurs: false, hasFailed: $0.1) }
        }
    }

    /// Stores refreshed tokens, if there are any, and lets others refresh again.
    ///
    /// - Returns: false if the session has ended.
    @discardableResult
    func endRefresh(_ id: Digest, officer: [UInt8]?) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                UPDATE health_portal.session
                SET officer = coalesce(\(nullable: officer), officer), refresh_until = NULL, refresh_failed = false
                WHERE id_hash = \(id.bytes)
                """) == 1
        }
    }

    /// Lets nobody refresh until an instant, after the provider couldn't be reached.
    func failRefresh(_ id: Digest, until end: Date) async throws {
        try await database.session { session in
            try session.execute(
                """
                UPDATE health_portal.session SET refresh_until = \(end), refresh_failed = true
                WHERE id_hash = \(id.bytes)
                """)
        }
    }

    // MARK: End

    /// Deletes a session.
    ///
    /// - Returns: its sealed officer; nil if there is none.
    func delete(_ id: Digest) async throws -> [UInt8]? {
        try await database.session { session in
            try session.row(
                "DELETE FROM health_portal.session WHERE id_hash = \(id.bytes) RETURNING officer", as: [UInt8].self)
        }
    }

    /// Deletes the sessions that a log-out token names, and remembers the token, in one transaction.
    ///
    /// - Returns: false if the token is known.
    func delete(
        subjects: [Digest], providerSessions: [Digest], token: Digest, minute: Int32
    ) async throws -> Bool {
        try await database.transaction { session in
            let isNew =
                try session.execute(
                    """
                    INSERT INTO health_portal.log_out_token (token_hash, used_minute) VALUES (\(token.bytes), \(minute))
                    ON CONFLICT DO NOTHING
                    """) == 1
            guard isNew else { return false }
            try session.execute(
                """
                DELETE FROM health_portal.session
                WHERE subject_hash = ANY(\(subjects.map(\.bytes)))
                    OR provider_session_hash = ANY(\(providerSessions.map(\.bytes)))
                """)
            return true
        }
    }

    /// The number of sessions that haven't ended.
    func count(at minute: Int32) async throws -> Int64 {
        try await database.session { session in
            let live: SQL = """
                used_minute > \(minute - RetentionRule.idleMinutes)
                AND opened_minute > \(minute - RetentionRule.sessionMinutes)
                """
            return try session.row("SELECT count(*) FROM health_portal.session WHERE \(live)", as: Int64.self) ?? 0
        }
    }
}
