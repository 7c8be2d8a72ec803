import Foundation
import TestSupport

/// What the write-ahead log says about the rows of some tables, as printed by `pg_waldump`.
struct WriteAheadLog {
    /// A version of a row: its table's file, its page, and its position on the page.
    struct Place: Hashable {
        let file: String
        let block: Int
        let line: Int
    }

    /// One record about a row.
    struct Record: Sendable {
        /// The position in the log, in bytes.
        let position: Int
        let transaction: Int
    }

    /// All records about a row, including its earlier versions, by the place of its last version.
    private(set) var records: [Place: [Record]] = [:]
    /// When each transaction was committed, in microseconds.
    private(set) var commits: [Int: Int] = [:]

    /// Reads the whole log of a stopped server.
    init(of server: PrivateServer) throws {
        let folder = URL(filePath: server.data + "/pg_wal")
        let segments = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.count == 24 && $0.allSatisfy(\.isHexDigit) }.sorted()
        let output = server.directory.appending(path: "wal.txt")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = PrivateServer.programs?.appending(path: "pg_waldump")
        process.arguments = ["-p", folder.path, segments.first ?? ""]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.start()
        // It exits with an error, because a live log has no end marker.
        process.waitUntilExit()
        for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") { read(line) }
    }

    /// Reads a line such as `rmgr: Heap len (rec/tot): 54/54, tx: 740, lsn: 0/01D1E1C8, prev 0/01D1E190, desc: HOT_UPDATE off 1
    /// xmax 740 flags 0x20 ; new off 2 xmax 0, blkref #0: rel 1663/5/16420 blk 0`.
    private mutating func read(_ line: Substring) {
        guard let transaction = Self.number(after: "tx:", in: line),
            let description = Self.text(after: "desc: ", in: line)
        else { return }
        if line.hasPrefix("rmgr: Transaction"), description.hasPrefix("COMMIT ") {
            commits[transaction] = Self.microseconds(description.dropFirst(7))
        }
        guard line.hasPrefix("rmgr: Heap "), let position = Self.position(line),
            let page = Self.text(after: "blkref #0: rel ", in: line), let block = Self.number(after: "blk", in: page),
            let offset = Self.number(after: "off", in: description)
        else { return }
        let file = page.prefix { $0 != " " }
        let record = Record(position: position, transaction: transaction)
        func place(_ block: Int, _ line: Int) -> Place { Place(file: String(file), block: block, line: line) }
        if description.hasPrefix("INSERT") {
            records[place(block, offset)] = [record]
        } else if description.contains("UPDATE"), let new = Self.number(after: "new off", in: description) {
            // The block of the old version is only named if it differs.
            let old = Self.text(after: "blkref #1: ", in: line).flatMap { Self.number(after: "blk", in: $0) } ?? block
            records[place(block, new)] = (records[place(old, offset)] ?? []) + [record]
        } else {
            records[place(block, offset), default: []].append(record)
        }
    }

    private static func text(after name: String, in line: Substring) -> Substring? {
        line.range(of: name).map { line[$0.upperBound...] }
    }

    private static func number(after name: String, in line: Substring) -> Int? {
        text(after: name, in: line).flatMap { Int($0.drop { $0 == " " }.prefix { $0.isNumber }) }
    }

    private static func position(_ line: Substring) -> Int? {
        let halves = text(after: "lsn: ", in: line)?.prefix { $0 != "," }.split(separator: "/") ?? []
        guard halves.count == 2, let high = Int(halves[0], radix: 16), let low = Int(halves[1], radix: 16) else {
            return nil
        }
        return high << 32 | low
    }

    /// Microseconds since midnight of a time such as `2026-11-22 17:30:01.123456 UTC`; the day is ignored.
    private static func microseconds(_ text: Substring) -> Int? {
        let parts =
            text.split(separator: " ").dropFirst().first?.split { ":.".contains($0) }.compactMap { Int($0) } ?? []
        guard parts.count == 4 else { return nil }
        return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000_000 + parts[3]
    }
}
