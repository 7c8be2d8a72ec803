/// The parts that reading and writing COPY in binary format share (<https://www.postgresql.org/docs/current/sql-copy.html>,
/// "Binary Format").
enum CopyFormat {
    /// The bytes at the start of all data.
    static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    /// Signature, no flags, no extension.
    static let header: [UInt8] = signature + [UInt8](repeating: 0, count: 8)
    /// Replaces the next row's number of fields at the end of the data.
    static let trailer: Int16 = -1
    /// Bytes after which a block is sent: enough that a system call per block costs nothing, few enough to stay in a
    /// processor's cache.
    static let blockSize = 1 << 16

    /// The number of a row's fields, which precedes them.
    static func fieldCount<each Column: PostgresEncodable>(_ columns: repeat (each Column).Type) -> Int16 {
        var count: Int16 = 0
        for _ in repeat each columns { count += 1 }
        return count
    }

    /// Appends one field: its length, -1 for NULL, and its bytes.
    static func append(_ value: some PostgresEncodable, to block: inout [UInt8]) {
        guard !value.isNull else { return block.append(bigEndian: Int32(-1)) }
        let start = block.count
        block.append(bigEndian: Int32(0))
        value.encode(into: &block)
        block.store(bigEndian: Int32(block.count - start - 4), at: start)
    }
}
