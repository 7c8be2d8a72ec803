/// Cuts the binary COPY format into rows
/// (<https://www.postgresql.org/docs/current/sql-copy.html>, "Binary Format").
///
/// The server sends a row per message as a rule, but doesn't promise it: the parser takes pieces of any size.
struct CopyParser {
    private enum Expectation {
        case header, row, end
    }

    private let columns: [CopyRow.Column]
    private var expectation = Expectation.header
    /// The beginning of something whose end hasn't arrived.
    private var pending: [UInt8] = []
    /// Rows so far.
    private(set) var rowCount = 0

    init(columns: [CopyRow.Column]) {
        self.columns = columns
    }

    /// Takes the next piece and calls `body` for each row that it completes.
    mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (inout CopyRow) throws -> Void) throws {
        guard !pending.isEmpty else {
            let used = try parse(piece, body)
            pending.append(contentsOf: piece[used...])
            return
        }
        pending.append(contentsOf: piece)
        let buffer = pending
        let used = try buffer.withUnsafeBytes { try parse($0, body) }
        pending.removeFirst(used)
    }

    /// Checks that the data ended where it says that it ends.
    func finish() throws(PostgresError) {
        guard case .end = expectation, pending.isEmpty else { throw Self.malformed }
    }

    private static var malformed: PostgresError { PostgresError(.unexpected, reason: "malformed COPY data") }

    /// Parses as much as is complete, and says how many bytes that was.
    private mutating func parse(
        _ buffer: UnsafeRawBufferPointer, _ body: (inout CopyRow) throws -> Void
    ) throws -> Int {
        var offset = 0
        while offset < buffer.count {
            let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
            let length: Int?
            switch expectation {
            case .header:
                length = try Self.headerLength(rest)
                if length != nil { expectation = .row }
            case .row where rest.bytes.bigEndian(Int16.self) == CopyFormat.trailer:
                length = 2
                expectation = .end
            case .row:
                length = try rowLength(rest)
                if let length {
                    var row = CopyRow(columns: columns, bytes: UnsafeRawBufferPointer(rebasing: rest[2..<length]))
                    rowCount += 1
                    try body(&row)
                }
            case .end:
                throw Self.malformed
            }
            guard let length else { break }
            offset += length
        }
        return offset
    }

    private static func headerLength(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> Int? {
        guard zip(bytes, CopyFormat.signature).allSatisfy(==) else { throw malformed }
        let fixed = CopyFormat.signature.count
        guard let flags = bytes.bytes.bigEndian(UInt32.self, at: fixed),
            let extensionLength = bytes.bytes.bigEndian(Int32.self, at: fixed + 4)
        else { return nil }
        // Bits 16 to 31 are for what a reader must know about, and there is nothing yet that this one does.
        guard flags >> 16 == 0, extensionLength >= 0 else { throw malformed }
        let length = fixed + 8 + Int(extensionLength)
        return bytes.count >= length ? length : nil
    }

    /// The length of the row at the beginning of `bytes`; nil if it isn't complete.
    private func rowLength(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> Int? {
        guard let fields = bytes.bytes.bigEndian(Int16.self) else { return nil }
        guard Int(fields) == columns.count else { throw Self.malformed }
        var offset = 2
        for _ in 0..<fields {
            guard let length = bytes.bytes.bigEndian(Int32.self, at: offset) else { return nil }
            guard length >= -1 else { throw Self.malformed }
            offset += 4 + max(0, Int(length))
        }
        return offset <= bytes.count ? offset : nil
    }
}
