import FoundationEssentials
import Postgres
import Running
import Schema
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct RetentionRuleTests {
    /// 2026-05-26, at noon.
    private static let now = Date(timeIntervalSince1970: 1_779_796_800)
    private static let old = Date(timeIntervalSince1970: 1_700_000_000)
    private static let oldHour: Int32 = 1_700_000_000 / 3600
    private static let oldDay: Int32 = 1_700_000_000 / 86_400
    private static let bytes = [UInt8](repeating: 1, count: 32)

    /// A row of each table that is much too old.
    private static let oldRows: [String: SQL] = [
        "test_results.result": """
        INSERT INTO test_results.result (id, code, sample_collected, created_at)
        VALUES (repeat('a', 64), 2, 0, \(old))
        """,
        "test_results.positive_hour": """
        INSERT INTO test_results.positive_hour (laboratory, hour, positives) VALUES ('a', \(oldHour), 1)
        """,
        "verification.session": """
        INSERT INTO verification.session (token_digest, teletan_kind, created_hour) VALUES (\(bytes), 'TEST', \(oldHour))
        """,
        "verification.registered_guid": """
        INSERT INTO verification.registered_guid (guid_digest, created_day) VALUES (\(bytes), \(oldDay))
        """,
        "verification.tele_tan": """
        INSERT INTO verification.tele_tan (digest, kind, created_at, expires_at) VALUES (\(bytes), 'TEST', \(old), \(old))
        """,
        "verification.used_tan": """
        INSERT INTO verification.used_tan (digest, tag, day) VALUES (\(bytes), \(bytes), \(oldDay))
        """,
        "verification.officer_hour": """
        INSERT INTO verification.officer_hour (officer, hour, issued) VALUES (\(bytes), \(oldHour), 1)
        """,
        "verification.refused_tele_tan": """
        INSERT INTO verification.refused_tele_tan (hour, refusals) VALUES (\(oldHour), 1)
        """,
        "verification.forgotten_tele_tan": """
        INSERT INTO verification.forgotten_tele_tan (kind, period_start, period_days, made, redeemed)
        VALUES ('TEST', date '1970-01-01' + \(oldDay), 1, 1, 1)
        """,
        "verification.forgotten_refusal": """
        INSERT INTO verification.forgotten_refusal (day, refusals) VALUES (date '1970-01-01' + \(oldDay), 1)
        """,
        "submission.diagnosis_key": """
        INSERT INTO submission.diagnosis_key (
            hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
        ) VALUES (\(oldHour), \(Array(bytes.prefix(16))), \(oldDay * 144), 144, 1, 0, 1)
        """,
        "submission.check_in_report": """
        INSERT INTO submission.check_in_report (
            hour, location_id_hash, initialization_vector, encrypted_record, authentication_code
        ) VALUES (\(oldHour), \(bytes), \(Array(bytes.prefix(16))), \(Array(bytes.prefix(16))), \(bytes))
        """,
        "submission.venue_report": """
        INSERT INTO submission.venue_report (hour, report) VALUES (\(oldHour), \([UInt8](repeating: 7, count: 57)))
        """,
        "submission.folded_hour": "INSERT INTO submission.folded_hour (hour, keys) VALUES (\(oldHour), 1)",
        "submission.hour_key": """
        INSERT INTO submission.hour_key (hour, public_key, closed) VALUES (\(oldHour), \(bytes), true)
        """,
        "distribution.published_hour": "INSERT INTO distribution.published_hour (hour, keys) VALUES (\(oldHour), 0)",
        "distribution.published_venue_bundle": """
        INSERT INTO distribution.published_venue_bundle (first_hour, reports) VALUES (\(oldHour), 0)
        """,
        "distribution.signature": """
        INSERT INTO distribution.signature (digest, signing_key, signature, used_at)
        VALUES (\(bytes), \(bytes), \(bytes), \(old))
        """,
        "distribution.announced_event": """
        INSERT INTO distribution.announced_event (event_id, announced_at) VALUES (gen_random_uuid(), \(old))
        """,
        "venues.event": """
        INSERT INTO venues.event (event_id, tags, start_interval, end_interval, severity, message, author)
        VALUES (gen_random_uuid(), ARRAY[\(bytes)], \(oldHour * 6), \(oldHour * 6 + 1), 'inform', 'take-test', \(bytes))
        """,
        "venues.trace_key": """
        INSERT INTO venues.trace_key (identity, secret_key, day, associated_data, nonce, bucket)
        VALUES (
            \(bytes), \([UInt8](repeating: 7, count: 48)), \(oldDay), \(bytes), \(Array(bytes.prefix(24))), \(oldHour / 2)
        )
        """,
        "venues.trace_key_upload": """
        INSERT INTO venues.trace_key_upload (token_hash, body_hash, bucket) VALUES (\(bytes), \(bytes), \(oldHour / 2))
        """,
        "foreign_keys.diagnosis_key": """
        INSERT INTO foreign_keys.diagnosis_key (
            hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type, origin, visited
        ) VALUES (\(oldHour), \(Array(bytes.prefix(16))), \(oldDay * 144), 144, 1, 0, 1, 'FR', 'DEFR')
        """,
        "foreign_keys.imported_hour": "INSERT INTO foreign_keys.imported_hour (hour) VALUES (\(oldHour))",
        "federation.shared_slot": """
        INSERT INTO federation.shared_slot (gateway, hour, keys) VALUES ('efgs', \(oldHour), 0)
        """,
        "federation.outgoing_batch": """
        INSERT INTO federation.outgoing_batch (gateway, tag, hour, keys, content, state, due_at, changed_at)
        VALUES ('efgs', 'DE-1', \(oldHour), 1, \(bytes), 'waiting', \(old), \(old))
        """,
        "federation.incoming_batch": incomingBatch,
        "federation.failing_call": """
        INSERT INTO federation.failing_call (gateway, call, reason, since, failed_at)
        VALUES ('efgs', 'look', 'status_403', \(old), \(old))
        """,
        "federation.audited_upload": """
        WITH batch AS (\(incomingBatch))
        INSERT INTO federation.audited_upload (gateway, tag, number, country, keys, outcome)
        VALUES ('efgs', '20231114-1', 1, 'FR', 1, 'verified')
        """,
        "federation.left_out": """
        WITH batch AS (\(incomingBatch))
        INSERT INTO federation.left_out (gateway, tag, reason, keys) VALUES ('efgs', '20231114-1', 'known', 1)
        """,
        "donation.used_evidence": """
        INSERT INTO donation.used_evidence (evidence_hash, last_hour) VALUES (\(bytes), \(oldHour))
        """,
        "donation.attested_key": """
        INSERT INTO donation.attested_key (key_hash, public_key, counter, used_day)
        VALUES (\(bytes), \([UInt8](repeating: 4, count: 65)), 1, \(oldDay))
        """,
        "donation.month_token":
            "INSERT INTO donation.month_token (token_hash, last_hour) VALUES (\(bytes), \(oldHour))",
        "donation.quota": """
        INSERT INTO donation.quota (purpose, subject_hash, last_hour, is_taken) VALUES (3, \(bytes), \(oldHour), true)
        """,
        "donation.one_time_password": """
        INSERT INTO donation.one_time_password (kind, password_hash, is_strong, expires_at)
        VALUES (0, \(bytes), true, \(old))
        """,
        "donation.hour_key": """
        INSERT INTO donation.hour_key (hour, public_key, closed) VALUES (\(oldHour), \(bytes), true)
        """,
        "donation.folded_hour": "INSERT INTO donation.folded_hour (hour) VALUES (\(oldHour))",
        "donation.user_group": "INSERT INTO donation.user_group VALUES (\(oldDay), 1, 2, 3)",
        "donation.client": "INSERT INTO donation.client VALUES (\(oldDay), 1, '3.2.0', '34', 5, 'tag')",
        "donation.exposure_risk": """
        INSERT INTO donation.exposure_risk
        VALUES (\(oldDay), 1, 2, 3, 2, true, \(oldDay), true, 2, true, NULL, false)
        """,
        "donation.exposure_window": """
        INSERT INTO donation.exposure_window VALUES (\(oldDay), 0, '3.2.0', 0, \(oldDay), 1, 1, 1, 3, 7.5, '{60, 50, 300}')
        """,
        "donation.test_result": """
        INSERT INTO donation.test_result VALUES (\(oldDay), 1, 2, 3, 3, 20, 2, 1, NULL, 1, NULL, NULL)
        """,
        "donation.key_submission_by_user": """
        INSERT INTO donation.key_submission_by_user
        VALUES (\(oldDay), 1, 2, 3, 0, true, true, false, false, 1, 20, 30, 1, NULL, NULL, NULL)
        """,
        "donation.key_submission_by_client": """
        INSERT INTO donation.key_submission_by_client VALUES (\(oldDay), 0, '3.2.0', true, false, false, true, 4)
        """,
        "further.report": """
        INSERT INTO further.report (
            id, feeling_sick, has_been_tested, last_update, positive_since, release_at
        ) VALUES ('00000000-0000-4000-8000-000000000001', true, true, 1700000000, \(oldHour), 0)
        """,
        "further.key": """
        INSERT INTO further.key (key, public_key, used_day)
        VALUES (\(Array(bytes.prefix(16))), \([UInt8](repeating: 4, count: 65)), \(oldDay))
        """,
        "further.nonce": "INSERT INTO further.nonce (hash, hour) VALUES (\(bytes), \(oldHour))",
        "push_dispatcher.registration": """
        INSERT INTO push_dispatcher.registration (instance_hash, token_hash, sealed_token, kind, registered_hour)
        VALUES (\(bytes), \(bytes), \([UInt8](repeating: 1, count: 284)), 0, \(oldHour))
        """,
        "health_portal.session": """
        INSERT INTO health_portal.session (id_hash, subject_hash, officer, opened_minute, used_minute)
        VALUES (\(bytes), \(bytes), \(bytes), \(oldHour * 60), \(oldHour * 60))
        """,
        "health_portal.audit": """
        INSERT INTO health_portal.audit (form_hash, day, sealed)
        VALUES (\(bytes), \(oldDay), \([UInt8](repeating: 1, count: 442)))
        """,
        "health_portal.log_out_token": """
        INSERT INTO health_portal.log_out_token (token_hash, used_minute) VALUES (\(bytes), \(oldHour * 60))
        """,
        "push_dispatcher.wave": """
        INSERT INTO push_dispatcher.wave (id, planned_at) VALUES (\(Array(bytes.prefix(16))), \(old))
        """,
    ]

    /// Once, for itself and for the tables of what is in it.
    private static var incomingBatch: SQL {
        """
        INSERT INTO federation.incoming_batch (gateway, tag, day, announced_at, due_at, changed_at)
        VALUES ('efgs', '20231114-1', \(oldDay), \(old), \(old), \(old)) ON CONFLICT DO NOTHING
        """
    }

    /// Inserts ``oldRows``.
    static func insertOldRows(in client: PostgresClient) async throws {
        try await client.session { session in
            try session.execute("SELECT submission.ensure_day(\(oldHour / 24))")
            try session.execute("SELECT foreign_keys.ensure_day(\(oldHour / 24))")
            try session.execute("SELECT donation.ensure_day(\(oldHour / 24))")
            for row in oldRows.values { try session.execute(row) }
        }
    }

    /// All tables but the partitions of others.
    private static func tables(in client: PostgresClient) async throws -> Set<String> {
        Set(
            try await client.session { session in
                try session.rows(
                    """
                    SELECT format('%s.%s', nspname, relname)
                    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE relkind IN ('r', 'p') AND NOT relispartition
                      AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
                    """, as: String.self)
            })
    }

    private func count(_ table: String, in client: PostgresClient) async throws -> Int {
        let parts = table.split(separator: ".").compactMap { Identifier(validating: String($0)) }
        let (schema, name) = (try #require(parts.first), try #require(parts.last))
        return try await client.session {
            try $0.row("SELECT count(*) FROM \(identifier: schema).\(identifier: name)", as: Int.self) ?? -1
        }
    }

    @Test("every table has a rule or a documented exemption")
    func complete() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { client in
                let tables = try await Self.tables(in: client)
                let ruled = Set(Retention.rules.flatMap(\.tables))
                #expect(tables == ruled.union(Retention.exempt.keys))
                #expect(ruled.isDisjoint(with: Retention.exempt.keys))
                #expect(Retention.exempt.values.allSatisfy { !$0.isEmpty })
            }
        }
    }

    @Test("each rule deletes or redeems rows that are much too old from each of its tables")
    func applied() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { client in
                let ruled = Retention.rules.flatMap(\.tables)
                #expect(Set(Self.oldRows.keys) == Set(ruled))
                try await Self.insertOldRows(in: client)
                for table in ruled { #expect(try await count(table, in: client) == 1, "\(table)") }
                for role in Set(Retention.rules.map(\.role)) {
                    // With the service's own rights: a rule that it may not apply is none.
                    let removed = try await TestPostgres.withClient(database.connection(as: role)) { service in
                        try await Retention.apply(role, at: Self.now, in: service)
                    }
                    #expect(!removed.isEmpty)
                    #expect(removed.allSatisfy { $0.removed > 0 })
                }
                for table in ruled { #expect(try await count(table, in: client) == 0, "\(table)") }
            }
        }
    }

    @Test("with a clock that is ahead of the database's no rule removes anything", arguments: DatabaseRole.allCases)
    func ahead(role: DatabaseRole) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { client in
                try await Self.insertOldRows(in: client)
                let clock = DatabaseClock(of: client, movedLike: ManualClock(Self.now).clock)
                await #expect(throws: ClockAhead.self) {
                    _ = try await Retention.apply(role, at: Self.now + 30 * 86_400, by: clock, in: client)
                }
                for table in Self.oldRows.keys { #expect(try await count(table, in: client) == 1, "\(table)") }
            }
        }
    }

    @Test("a rule that met a concurrent transaction is applied again")
    func conflict() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { client in
                try await Self.insertOldRows(in: client)
                try await client.session { session in
                    // The first DELETE fails as in a deadlock. The sequence counts it nevertheless.
                    try session.script(
                        #"""
                        CREATE SEQUENCE deletions;
                        CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                        BEGIN
                            IF nextval('deletions') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40P01'; END IF;
                            RETURN NULL;
                        END $$;
                        CREATE TRIGGER fail_once AFTER DELETE ON verification.session
                        FOR EACH STATEMENT EXECUTE FUNCTION fail_once();
                        """#)
                }
                try await TestPostgres.withClient(database.connection(as: .verification)) { service in
                    _ = try await Retention.apply(.verification, at: Self.now, in: service)
                }
                #expect(try await count("verification.session", in: client) == 0)
                let deletions = try await client.session { session in
                    try session.row("SELECT last_value FROM deletions", as: Int64.self)
                }
                #expect(deletions == 2)
            }
        }
    }

    @Test("a second application finds nothing to do")
    func again() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            for role in DatabaseRole.allCases {
                try await TestPostgres.withClient(database.connection(as: role)) { service in
                    let removed = try await Retention.apply(role, at: Self.now, in: service)
                    #expect(removed.allSatisfy { $0.removed == 0 })
                }
            }
        }
    }

    @Test("an hour's public key stays while uploads wait that are sealed to it, or the hour is open")
    func hourKeysOfUploads() async throws {
        try await hourKeys(of: .fold, in: Identifier("submission"))
    }

    @Test("an hour's public key stays while donations wait that are sealed to it, or the hour is open")
    func hourKeysOfDonations() async throws {
        try await hourKeys(of: .donationFold, in: Identifier("donation"))
    }

    private func hourKeys(of role: DatabaseRole, in schema: Identifier) async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                try await owner.session { session in
                    for (hour, isClosed) in [(Self.oldHour, true), (Self.oldHour + 1, false), (Self.oldHour + 2, true)]
                    {
                        try session.execute(
                            """
                            INSERT INTO \(identifier: schema).hour_key (hour, public_key, closed)
                            VALUES (\(hour), \(Self.bytes), \(isClosed))
                            """)
                    }
                    try session.execute(
                        """
                        INSERT INTO \(identifier: schema).inbox (tag, hour, sealed)
                        VALUES (\(Self.bytes), \(Self.oldHour), \(Self.bytes))
                        """)
                }
            }
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                _ = try await Retention.apply(role, at: Self.now, in: service)
                let left = try await service.session {
                    try $0.rows("SELECT hour FROM \(identifier: schema).hour_key ORDER BY hour", as: Int32.self)
                }
                #expect(left == [Self.oldHour, Self.oldHour + 1])
            }
        }
    }

    /// The tables of hours, and how an hour comes into them.
    private static let hourTables: [(role: DatabaseRole, insert: @Sendable (Int32) -> SQL, select: SQL)] = [
        (
            .fold, { "INSERT INTO submission.folded_hour (hour, keys) VALUES (\($0), 0)" },
            "SELECT hour FROM submission.folded_hour ORDER BY hour"
        ),
        (
            .donationFold, { "INSERT INTO donation.folded_hour (hour) VALUES (\($0))" },
            "SELECT hour FROM donation.folded_hour ORDER BY hour"
        ),
        (
            .distribution, { "INSERT INTO distribution.published_hour (hour, keys) VALUES (\($0), 0)" },
            "SELECT hour FROM distribution.published_hour ORDER BY hour"
        ),
        (
            .federation, { "INSERT INTO foreign_keys.imported_hour (hour) VALUES (\($0))" },
            "SELECT hour FROM foreign_keys.imported_hour ORDER BY hour"
        ),
        (
            .federation, { "INSERT INTO federation.shared_slot (gateway, hour, keys) VALUES ('efgs', \($0), 0)" },
            "SELECT hour FROM federation.shared_slot ORDER BY hour"
        ),
    ]

    @Test("hours are kept for 15 days and not an hour longer", arguments: hourTables)
    func hours(role: DatabaseRole, insert: @escaping @Sendable (Int32) -> SQL, select: SQL) async throws {
        let first = Int32(Self.now.timeIntervalSince1970) / 3600 - 15 * 24
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.connection(as: role)) { service in
                try await service.session { session in
                    for hour in [first - 1, first, first + 1] { try session.execute(insert(hour)) }
                }
                _ = try await Retention.apply(role, at: Self.now, in: service)
                let left = try await service.session { try $0.rows(select, as: Int32.self) }
                #expect(left == [first, first + 1])
            }
        }
    }
}
