package import Postgres

extension TestPostgres {
    /// Every row of every service's tables as JSON without NULLs, in order, by `schema.table`.
    package static func rows(in session: Session) throws -> [String: [String]] {
        let tables = try session.rows(
            """
            SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE relkind IN ('r', 'p') AND NOT relispartition
              AND nspname NOT IN ('pg_catalog', 'information_schema', 'vigil')
            """, as: String.self, String.self)
        var content: [String: [String]] = [:]
        for (schema, table) in tables {
            guard let schemaName = Identifier(validating: schema), let tableName = Identifier(validating: table) else {
                continue
            }
            content["\(schema).\(table)"] = try session.rows(
                """
                SELECT jsonb_strip_nulls(to_jsonb(item))::text
                FROM \(identifier: schemaName).\(identifier: tableName) AS item ORDER BY 1
                """, as: String.self)
        }
        return content
    }
}
