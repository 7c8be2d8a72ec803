import Credentials
import FoundationEssentials
import Postgres
import VerificationAPI

/// A registration as it is kept.
struct VerificationSession: Sendable {
    enum Proof: Sendable {
        case guid(HashedGUID, birthDate: ResultID?)
        case teleTAN(TeleTANKind)
    }

    let proof: Proof
    /// Counted from the epoch; no finer time is known.
    let createdHour: Int32

    /// For how many hours a registration is kept, beyond the one in which it was opened.
    static let lifetime: Int32 = 21 * 24

    /// The kind of the teleTAN that opened it; nil for a test that a laboratory reported.
    var teleTANKind: TeleTANKind? {
        switch proof {
        case .teleTAN(let kind): kind
        case .guid: nil
        }
    }

    /// From a row of the table; nil for one that no registration writes.
    fileprivate init?(_ guid: String?, _ birthDate: String?, _ kind: String?, _ createdHour: Int32) {
        if let guid = guid.flatMap(HashedGUID.init) {
            proof = .guid(guid, birthDate: birthDate.flatMap(ResultID.init))
        } else if let kind = kind.flatMap(TeleTANKind.init) {
            proof = .teleTAN(kind)
        } else {
            return nil
        }
        self.createdHour = createdHour
    }
}

/// Registrations, teleTANs and their limits in the schema `verification`. Every single use is one statement.
struct VerificationStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    // MARK: Sessions

    /// Opens a session for a test none of whose ids anybody has registered yet.
    /// - Returns: false when somebody has; then nothing is changed.
    func openSession(_ token: Digest, for guid: HashedGUID, _ birthDate: ResultID?, at now: Date) async throws -> Bool {
        // In one order, so that two phones with the same ids can't wait for each other in a circle.
        let claims = [guid.digest, birthDate?.digest].compactMap { $0?.bytes }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        do {
            try await database.transaction { session in
                let claimed = try session.execute(
                    """
                    INSERT INTO verification.registered_guid (guid_digest, created_day)
                    SELECT claim, \(now.dayNumber) FROM unnest(\(claims)) AS claim
                    ON CONFLICT DO NOTHING
                    """)
                guard claimed == claims.count else { throw RegisteredBefore() }
                try session.execute(
                    """
                    INSERT INTO verification.session (token_digest, hashed_guid, hashed_guid_dob, created_hour)
                    VALUES (
                        \(token.bytes), \(guid.text), \(nullable: birthDate?.text), \(now.hourNumber)
                    )
                    """)
            }
            return true
        } catch is RegisteredBefore {
            return false
        }
    }

    /// Undoes the claims that succeeded.
    private struct RegisteredBefore: Error {}

    /// Opens a session for a teleTAN, which is spent by it.
    /// - Returns: false when the teleTAN is unknown, used or expired.
    func openSession(_ token: Digest, redeeming teleTAN: Digest, at now: Date) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                WITH redeemed AS (
                    UPDATE verification.tele_tan SET redeemed = true
                    WHERE digest = \(teleTAN.bytes) AND NOT redeemed AND expires_at > \(now)
                    RETURNING kind
                )
                INSERT INTO verification.session (token_digest, teletan_kind, created_hour)
                SELECT \(token.bytes), kind, \(now.hourNumber) FROM redeemed
                """) == 1
        }
    }

    /// The sessions of registration tokens, in their order; nil where there is none.
    func sessions(_ tokens: [Digest]) async throws -> [VerificationSession?] {
        let wanted = tokens.map(\.bytes)
        let rows = try await database.session { session in
            try session.rows(
                """
                SELECT token_digest, hashed_guid, hashed_guid_dob, teletan_kind, created_hour FROM verification.session
                WHERE token_digest = ANY(\(wanted))
                """, as: [UInt8].self, String?.self, String?.self, String?.self, Int32.self)
        }
        let found = Dictionary(
            rows.map { row in (row.0, VerificationSession(row.1, row.2, row.3, row.4)) },
            uniquingKeysWith: { first, _ in first })
        return wanted.map { found[$0] ?? nil }
    }

    // MARK: teleTANs

    /// Stores a teleTAN unless the officer, or all officers together, have had too many.
    ///
    /// Calls at the same moment may exceed the limit for all by one for each connection at most.
    /// - Parameter officer: stands for the officer in this hour of the clock.
    /// - Returns: false when a limit is reached.
    func insertTeleTAN(
        _ digest: Digest, kind: TeleTANKind, at now: Date, expires: Date, by officer: Digest, _ limits: TeleTANLimits
    ) async throws -> Bool {
        try await database.session { session in
            try session.execute(
                """
                WITH allowed AS (
                    INSERT INTO verification.officer_hour AS known (officer, hour, issued)
                    SELECT \(officer.bytes), \(now.hourNumber), 1
                    WHERE \(limits.perHour) > (
                        SELECT count(*) FROM verification.tele_tan WHERE created_at > \(now.addingTimeInterval(-3600))
                    )
                    ON CONFLICT (officer) DO UPDATE SET issued = known.issued + 1
                    WHERE known.issued < \(limits.perOfficer)
                    RETURNING 1
                )
                INSERT INTO verification.tele_tan (digest, kind, created_at, expires_at)
                SELECT \(digest.bytes), \(kind.rawValue), \(now), \(expires) FROM allowed
                """) == 1
        }
    }

    /// How many teleTANs were refused within the hour.
    func refusedTeleTANs(inHourOf now: Date) async throws -> Int {
        try await database.session { session in
            try session.row(
                "SELECT refusals FROM verification.refused_tele_tan WHERE hour = \(now.hourNumber)", as: Int32.self)
        }.map(Int.init) ?? 0
    }

    /// - Returns: how many they are now.
    func countRefusedTeleTAN(inHourOf now: Date) async throws -> Int {
        try await database.session { session in
            try session.row(
                """
                INSERT INTO verification.refused_tele_tan AS known (hour, refusals) VALUES (\(now.hourNumber), 1)
                ON CONFLICT (hour) DO UPDATE SET refusals = known.refusals + 1
                RETURNING refusals
                """, as: Int32.self)
        }.map(Int.init) ?? 0
    }
}

extension Date {
    /// Whole hours since the epoch.
    var hourNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 3600).rounded(.down))) }
    /// Whole days since the epoch.
    var dayNumber: Int32 { Int32(clamping: Int64((timeIntervalSince1970 / 86_400).rounded(.down))) }
}
