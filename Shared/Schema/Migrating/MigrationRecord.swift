import Postgres

/// The table `vigil.migration`, which records the applied steps. A schema's version is the number of its last step.
enum MigrationRecord {
    /// Creates the table if it is missing, and lets the services read it.
    static func prepare(for roles: [DatabaseRole], in session: Session) throws(PostgresError) {
        try session.script(
            """
            CREATE SCHEMA IF NOT EXISTS vigil;
            CREATE TABLE IF NOT EXISTS vigil.migration (
                schema text,
                number integer,
                name text NOT NULL,
                checksum bytea NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now(),
                PRIMARY KEY (schema, number)
            );
            """)
        for role in roles {
            try session.script(
                """
                GRANT USAGE ON SCHEMA vigil TO \(identifier: role.identifier);
                GRANT SELECT ON vigil.migration TO \(identifier: role.identifier);
                """)
        }
    }

    /// Whether the table exists.
    static func exists(in session: Session) throws(PostgresError) -> Bool {
        try session.row("SELECT to_regclass('vigil.migration') IS NOT NULL", as: Bool.self) ?? false
    }

    /// The schema's version; 0 if no step is applied.
    static func version(of schema: Schema, in session: Session) throws(PostgresError) -> Int32 {
        try session.row(
            "SELECT coalesce(max(number), 0) FROM vigil.migration WHERE schema = \(schema.name)", as: Int32.self) ?? 0
    }

    /// The checksum of an applied step; nil if it isn't applied.
    static func checksum(of step: MigrationStep, in session: Session) throws(PostgresError) -> [UInt8]? {
        try session.row(
            "SELECT checksum FROM vigil.migration WHERE schema = \(step.schema) AND number = \(step.number)",
            as: [UInt8].self)
    }

    /// Records that a step is applied.
    static func add(_ migration: Migration, as step: MigrationStep, in session: Session) throws(PostgresError) {
        try session.execute(
            """
            INSERT INTO vigil.migration (schema, number, name, checksum)
            VALUES (\(step.schema), \(step.number), \(migration.name), \(migration.checksum))
            """)
    }
}
