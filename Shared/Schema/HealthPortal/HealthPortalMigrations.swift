import Postgres

extension Migration {
    /// The steps of the schema `health_portal`.
    static let healthPortal: [Migration] = [
        Migration(
            "sessions",
            #"""
            CREATE SCHEMA health_portal;
            GRANT USAGE ON SCHEMA health_portal TO vigil_health_portal;

            -- An officer who is signed in, under the hash of the identifier that the browser has. Tokens, name and codes are sealed
            -- under a key that is derived from that identifier and the service's key. The keyed hashes are for log-out by the
            -- identity provider, times are whole minutes since 1970. Kept 30 minutes after the last request, 10 hours at most.
            CREATE TABLE health_portal.session (
                id_hash bytea PRIMARY KEY CHECK (octet_length(id_hash) = 32),
                subject_hash bytea NOT NULL CHECK (octet_length(subject_hash) = 32),
                provider_session_hash bytea CHECK (octet_length(provider_session_hash) = 32),
                officer bytea NOT NULL,
                codes bytea,
                -- Grows with each change of `codes`: of two requests at once only one counts.
                codes_version integer NOT NULL DEFAULT 0,
                opened_minute integer NOT NULL,
                used_minute integer NOT NULL,
                -- Until when one request has the right to refresh the tokens, or after a failure nobody has; mostly NULL.
                refresh_until timestamptz,
                refresh_failed boolean NOT NULL DEFAULT false
            ) WITH (fillfactor = 50);
            CREATE INDEX ON health_portal.session (subject_hash);
            CREATE INDEX ON health_portal.session (provider_session_hash);

            -- The log-out tokens that the identity provider has sent, as keyed hashes, so that none counts twice. Kept 5 minutes:
            -- after two, a token is too old anyway.
            CREATE TABLE health_portal.log_out_token (
                token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
                used_minute integer NOT NULL
            );

            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA health_portal TO vigil_health_portal;
            """#),

        Migration(
            "audit",
            #"""
            -- Which officer made a code, sealed to the authority's auditor: nobody at the service can read it. The hash of the form
            -- that made the code finds a repeat; in its order nothing is known of the time of day. Kept 30 days.
            CREATE TABLE health_portal.audit (
                form_hash bytea PRIMARY KEY CHECK (octet_length(form_hash) = 32),
                -- Since 1970, UTC.
                day integer NOT NULL,
                -- All have the same length: Shared/Formats/AuditFormat.
                sealed bytea NOT NULL CHECK (octet_length(sealed) = 442)
            );
            CREATE INDEX ON health_portal.audit (day);
            GRANT SELECT, INSERT, DELETE ON health_portal.audit TO vigil_health_portal;

            -- Who exported the audit. Written by the owner's command; no service may read or change it.
            CREATE TABLE health_portal.audit_read (
                read_at timestamptz NOT NULL,
                role text NOT NULL,
                name text NOT NULL,
                entries integer NOT NULL
            );
            """#),
    ]
}
