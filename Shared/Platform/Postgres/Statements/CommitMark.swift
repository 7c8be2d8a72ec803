extension SQL {
    /// An expression that writes an empty record into the write-ahead log, so that the commit waits for the disk like one that
    /// has changed a row.
    ///
    /// Without it, a request that changes nothing (a dummy request, a refusal) would be answered sooner than a real one. No table
    /// grows by it. The role needs EXECUTE on `pg_logical_emit_message(boolean, text, text)`.
    package static let commitMark: SQL = "pg_logical_emit_message(true, '', '')"
}
