package import Credentials
package import ExposureKeys
package import Postgres

/// The tables of an inbox whose rows are sealed to hours' keys: `hour_key`, `inbox` and `folded_hour` of a schema, and its fold's lock.
package struct InboxTables: Sendable {
    let schema: Identifier
    /// Rows that are read at a time.
    let batch: Int64

    /// - Parameter batch: how many rows are read at a time, by their size.
    package init(of schema: Identifier, batch: Int64) {
        self.schema = schema
        self.batch = batch
    }
}

/// A row of an inbox, as the fold reads it.
package struct SealedRow: Sendable {
    /// Nothing else has it.
    package let tag: Digest
    /// The hour to whose key it is sealed.
    package let hour: Hour
    /// As ``RowEnvelope`` sealed it.
    package let sealed: [UInt8]
}

/// The tables that a fold reads and writes, in its transaction. What is folded, each service inserts by itself.
package struct FoldTransaction {
    /// The transaction.
    package let session: Session
    private let tables: InboxTables

    /// A transaction on an inbox.
    package init(_ session: Session, _ tables: InboxTables) {
        self.session = session
        self.tables = tables
    }

    /// The last folded hour; nil before the first fold.
    func lastFoldedHour() throws -> Hour? {
        try session.row("SELECT max(hour) FROM \(identifier: tables.schema).folded_hour", as: Int32?.self)
            .flatMap { $0 }.map(Hour.init(number:))
    }

    /// Reads the waiting rows in batches, in the order of their tags, which reveals nothing.
    package func readInbox(through last: Hour, _ body: ([SealedRow]) throws -> Void) throws {
        var after: [UInt8] = []
        while true {
            let rows = try session.rows(
                """
                SELECT tag, hour, sealed FROM \(identifier: tables.schema).inbox
                WHERE hour <= \(last.number) AND tag > \(after) ORDER BY tag LIMIT \(tables.batch)
                """, as: [UInt8].self, Int32.self, [UInt8].self)
            try body(
                rows.compactMap { tag, hour, sealed in
                    Digest(bytes: tag).map { SealedRow(tag: $0, hour: Hour(number: hour), sealed: sealed) }
                })
            guard rows.count == tables.batch, let lastTag = rows.last?.0 else { return }
            after = lastTag
        }
    }

    func emptyInbox(through last: Hour) throws {
        try session.execute("DELETE FROM \(identifier: tables.schema).inbox WHERE hour <= \(last.number)")
    }
}
