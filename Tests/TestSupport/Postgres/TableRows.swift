package import Postgres

extension TestPostgres {
    /// Every row of every service's tables as JSON without NULLs, in order, by `schema.table`.
    /// - Parameter forms: what to read of each row of a table instead: an expression of JSON, in which `item` is the row.
    package static func rows(in session: Session, as forms: [String: SQL] = [:]) throws -> [String: [String]] {
        let tables = try session.rows(
            """
            SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE relkind IN ('r', 'p') AND NOT relispartition
              AND nspname NOT IN ('pg_catalog', 'information_schema', 'vigil')
            """, as: String.self, String.self)
        var content: [String: [String]] = [:]
        for (schema, table) in tables {
            let name = "\(schema).\(table)"
            guard let schema = Identifier(validating: schema), let table = Identifier(validating: table) else {
                continue
            }
            let form = forms[name] ?? "to_jsonb(item)"
            content[name] = try session.rows(
                """
                SELECT jsonb_strip_nulls(\(form))::text
                FROM \(identifier: schema).\(identifier: table) AS item ORDER BY 1
                """, as: String.self)
        }
        return content
    }
}
