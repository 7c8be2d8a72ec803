import Postgres

/// The single version that the whole database had before every schema had its own: the numbers 1 to 9.
///
/// A database with one of these versions is taken over unchanged. Every step whose former migration was applied is recorded as
/// applied, at the same time; the others are applied as on any database. The former record is kept, under the schema `*`. It
/// gets one final entry, so that a program from that time reports that the database is newer, and does nothing.
enum FormerVersion {
    /// SHA-256 of the nine migrations' texts, in hexadecimal digits.
    private static let checksums = [
        "3e3d846e97cc3fd33660f8adcdc5acbd173c46117bad8c690330789c99eb30ff",
        "ab9facee3e29bac6a68541d54e546ba740b2d923c5cdfd13ebd539d728bd8439",
        "13a6beb7a4d723831b075c5618867803cb49750d24faf93a8ae7164abebd0c1e",
        "52011e8a568fd3bf588a2a71c7f76cdf3c0b6268499d3da9cfac47f2bffcd323",
        "e8da9946ae648c47894f304d6fceedfd8cb3890a6610c8fa75f90f7da1a829eb",
        "130db19bbcf87a5fa2744db3acda0c1513a635f68bc3c1e2c2bb937a2bacf5dc",
        "438d7315ecf41014792eebaeffa3c0b58e5e24b5ad17308b39c322eae1147ab7",
        "15c2ac989c7f35253d1f359806c219df4532f752faf97be2b5c81511e2e426f8",
        "943c7d9ed401e52ba7f4a9732b311ac695a2a14cc5f77df75c5e298a4c8ba5dd",
    ]

    /// The entry for all schemas in the record.
    private static let allSchemas = "*"

    /// Changes the record of a database with a former version, and nothing else.
    /// - Throws: ``ChangedMigration``.
    static func takeOver(_ schemas: [Schema], in session: Session) throws {
        guard try !MigrationRecord.exists(in: session) else { return }
        let applied = try session.rows(
            "SELECT number, encode(checksum, 'hex') FROM vigil.migration ORDER BY number", as: Int32.self, String.self)
        for (index, (number, checksum)) in applied.enumerated() {
            guard number == index + 1, index < checksums.count, checksum == checksums[index] else {
                throw ChangedMigration(step: MigrationStep(schema: allSchemas, number: number))
            }
        }
        try session.script(
            """
            ALTER TABLE vigil.migration ADD COLUMN schema text NOT NULL DEFAULT '*';
            ALTER TABLE vigil.migration ALTER COLUMN schema DROP DEFAULT;
            ALTER TABLE vigil.migration DROP CONSTRAINT migration_pkey;
            ALTER TABLE vigil.migration ADD PRIMARY KEY (schema, number);
            """)
        for schema in schemas {
            for (index, migration) in schema.migrations.enumerated() {
                guard let former = migration.formerNumber else { continue }
                try session.execute(
                    """
                    INSERT INTO vigil.migration (schema, number, name, checksum, applied_at)
                    SELECT \(schema.name), \(Int32(index + 1)), \(migration.name), \(migration.checksum), applied_at
                    FROM vigil.migration WHERE schema = \(allSchemas) AND number = \(former)
                    """)
            }
        }
        try session.execute(
            """
            INSERT INTO vigil.migration (schema, number, name, checksum)
            VALUES (\(allSchemas), \(Int32(checksums.count + 1)), 'a version per schema', '')
            """)
    }
}
