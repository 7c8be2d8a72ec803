/// Takes the rows of a COPY into a table, and sends them in blocks in the binary format (PostgreSQL documentation, COPY,
/// "Binary Format").
///
/// What is encoded lies in one buffer that is used again for each block, so that a row costs no allocation. A value that
/// is kept in place, rather than in an array of its own, costs none either.
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
    /// That it was sent doesn't mean that the server has accepted it: the COPY as a whole says so.
    ///
    /// - Throws: `PostgresError` if the connection broke. Let it pass: the connection is of no more use.
    package mutating func row(_ values: repeat each Column) throws(PostgresError) {
        block.append(bigEndian: CopyFormat.fieldCount(repeat (each Column).self))
        for value in repeat each values {
            CopyFormat.append(value, to: &block)
        }
        rowCount += 1
        if block.count >= CopyFormat.blockSize { try send() }
    }

    /// Sends what is left, and that this was all.
    mutating func finish() throws(PostgresError) {
        block.append(bigEndian: CopyFormat.trailer)
        try send()
    }

    private mutating func send() throws(PostgresError) {
        try connection.putCopyData(block)
        block.removeAll(keepingCapacity: true)
    }
}
