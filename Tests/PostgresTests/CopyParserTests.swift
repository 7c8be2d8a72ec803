import Testing

@testable import Postgres

@Suite("The binary COPY format")
struct CopyParserTests {
    static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    static let trailer: [UInt8] = [0xFF, 0xFF]
    static let columns = [CopyRow.Column(name: "a", type: .int4), CopyRow.Column(name: "b", type: .bytea)]

    static func row(_ number: Int32, _ bytes: [UInt8]?) -> [UInt8] {
        var row: [UInt8] = [0, 2, 0, 0, 0, 4]
        row.append(bigEndian: number)
        row.append(bigEndian: Int32(bytes?.count ?? -1))
        return row + (bytes ?? [])
    }

    private func parse(_ pieces: [[UInt8]]) throws -> [(Int32, [UInt8]?)] {
        var parser = CopyParser(columns: Self.columns)
        var rows: [(Int32, [UInt8]?)] = []
        for piece in pieces {
            try piece.withUnsafeBytes { buffer in
                try parser.feed(buffer) { row in
                    rows.append((try row.next(Int32.self), try row.next([UInt8]?.self)))
                }
            }
        }
        try parser.finish()
        #expect(parser.rowCount == rows.count)
        return rows
    }

    @Test("the rows don't depend on how the data is split into pieces", arguments: 1...80)
    func pieces(size: Int) throws {
        let stream =
            Self.header + Self.row(1, [1, 2, 3]) + Self.row(-1, nil) + Self.row(7, []) + Self.row(8, [9])
            + Self.trailer
        let pieces = stride(from: 0, to: stream.count, by: size).map {
            Array(stream[$0..<min($0 + size, stream.count)])
        }
        let rows = try parse(pieces)
        #expect(rows.map(\.0) == [1, -1, 7, 8])
        #expect(rows.map(\.1) == [[1, 2, 3], nil, [], [9]])
    }

    @Test("a header extension is skipped")
    func headerExtension() throws {
        var stream = Self.header + [1, 2, 3]
        stream[18] = 3
        #expect(try parse([stream + Self.row(1, nil) + Self.trailer]).count == 1)
    }

    @Test(
        "malformed data is an error",
        arguments: [
            [], header, header + row(1, nil), header + trailer + [0],
            Array(header.dropLast()), [UInt8(ascii: "X")] + header.dropFirst() + trailer,
            // A critical flag.
            header[..<11] + [0, 1, 0, 0] + header[15...] + trailer,
            // Another number of columns, a length below -1.
            header + [0, 1, 255, 255, 255, 255] + trailer,
            header + [0, 2, 255, 255, 255, 254, 255, 255, 255, 255] + trailer,
        ] as [[UInt8]])
    func malformed(stream: [UInt8]) {
        #expect(throws: PostgresError.self) { try parse([stream]) }
    }

    @Test("a field of another type, an unexpected NULL and an extra field are errors")
    func fields() throws {
        let stream = Self.header + Self.row(1, nil) + Self.trailer
        func read(_ body: (inout CopyRow) throws -> Void) throws {
            var parser = CopyParser(columns: Self.columns)
            try stream.withUnsafeBytes { try parser.feed($0, body) }
        }
        let wrongType = #expect(throws: PostgresError.self) { try read { _ = try $0.next(Int64.self) } }
        #expect(wrongType?.reason == "column \"a\" of type OID 23 can't be read as Int64")
        #expect(throws: PostgresError.self) {
            try read {
                _ = try $0.next(Int32.self)
                _ = try $0.next([UInt8].self)
            }
        }
        #expect(throws: PostgresError.self) {
            try read {
                _ = try $0.next(Int32.self)
                _ = try $0.next([UInt8]?.self)
                _ = try $0.next([UInt8]?.self)
            }
        }
        try read { _ = try $0.next(Int32.self) }
    }
}
