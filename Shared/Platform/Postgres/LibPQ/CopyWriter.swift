/// Takes the rows of a COPY into a table, and sends them in blocks in the binary format
/// (<https://www.postgresql.org/docs/current/sql-copy.html>, "Binary Format").
///
/// Rows are encoded into one buffer that is reused for each block, so that a row costs no allocation. A value that is stored in
/// place, rather than in an array of its own, costs none either.
package struct CopyWriter<each Column: PostgresEncodable>: ~Copyable {
    private let connection: Connection
    private var block: [UInt8] = []
    /// Rows so far.
    package private(set) var rowCount = 0

    init(_ connection: Connection) {
        self.connection = connection
        block.reserveCapacity(CopyFormat.blockSize + CopyFormat.blockSize / 4)
        block.append(contentsOf: CopyFormat.header)
    }

    /// Adds a row, its fields from left to right.
    ///
    /// The row is accepted only when the COPY as a whole succeeds.
    ///
    /// - Throws: `PostgresError` if the connection broke. Don't catch it: the connection can't be used any more.
    package mutating func row(_ values: repeat each Column) throws(PostgresError) {
        block.append(bigEndian: CopyFormat.fieldCount(repeat (each Column).self))
        for value in repeat each values {
            CopyFormat.append(value, to: &block)
        }
        rowCount += 1
        if block.count >= CopyFormat.blockSize { try send() }
    }

    /// Sends the remaining rows and the end of the data.
    mutating func finish() throws(PostgresError) {
        block.append(bigEndian: CopyFormat.trailer)
        try send()
    }

    private mutating func send() throws(PostgresError) {
        try connection.putCopyData(block)
        block.removeAll(keepingCapacity: true)
    }
}
