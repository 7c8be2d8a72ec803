import FoundationEssentials

/// How far a zone's clocks differ from UTC, from this machine's time zone database (RFC 9636).
///
/// FoundationEssentials knows no zones, and the C library only that of the whole process.
struct ZoneFile: Sendable {
    /// From which second since 1970 on clocks differ by how many seconds, in ascending order. The first is for all time before.
    private let changes: [(from: Int64, offset: Int64)]

    private static let folder = "/usr/share/zoneinfo/"
    /// The most bytes of a file; the largest of Debian's has 4 kB.
    private static let longest = 64 << 10
    /// 2037-01-01. Debian's files list all changes until then; the rule for later ones, at their end, isn't read.
    private static let last: Int64 = 2_114_380_800

    /// - Parameter name: such as `Europe/Berlin`. Nil if the database has no such zone, or doesn't list its changes.
    init?(_ name: String) {
        let names = name.split(separator: "/", omittingEmptySubsequences: false)
        guard names.allSatisfy({ $0.first?.isLetter == true && $0.utf8.allSatisfy(Self.isNameByte) }),
            let data = try? Data(contentsOf: URL(filePath: Self.folder + name)), data.count <= Self.longest
        else { return nil }
        self.init(bytes: Array(data))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Nil for anything but a file of version 2 or later.
    init?(bytes: [UInt8]) {
        // The first block has times of 32 bits; the second one has the same with 64.
        guard let first = Header(bytes[...]), first.version >= UInt8(ascii: "2"),
            let second = Header(bytes.dropFirst(first.length(ofTime: 4))),
            bytes.count >= first.length(ofTime: 4) + second.length(ofTime: 8), second.types > 0
        else { return nil }
        let times = bytes.dropFirst(first.length(ofTime: 4) + Header.length)
        let indexes = times.dropFirst(second.times * 8).prefix(second.times)
        let types = times.dropFirst(second.times * 9)
        func offset(_ index: Int) -> Int64 { Int64(Int32(truncatingIfNeeded: types.number(at: index * 6, of: 4))) }
        guard indexes.allSatisfy({ $0 < second.types }) else { return nil }
        var changes = [(from: Int64.min, offset: offset(0))]
        for (position, index) in indexes.enumerated() {
            let time = times.number(at: position * 8, of: 8)
            guard time > changes.last?.from ?? 0 else { return nil }
            changes.append((time, offset(Int(index))))
        }
        // A rule with a comma names the days of changes to come.
        let rule = bytes.dropFirst(first.length(ofTime: 4) + second.length(ofTime: 8))
        guard !rule.contains(UInt8(ascii: ",")) || changes.last?.from ?? 0 >= Self.last else { return nil }
        self.changes = changes
    }

    /// What the zone's clocks show at a second since 1970, as if they showed UTC.
    func local(_ second: Int64) -> Int64 { second + offset(at: second) }

    /// The second at which the clocks show this; nil if they skip it. If they show it twice it is the first.
    func second(local: Int64) -> Int64? {
        Set(changes.map(\.offset)).filter { offset(at: local - $0) == $0 }.map { local - $0 }.min()
    }

    private func offset(at second: Int64) -> Int64 {
        changes.last { $0.from <= second }?.offset ?? 0
    }

    /// The header of a block (section 3.1).
    private struct Header {
        static let length = 44

        let version: UInt8
        let times: Int
        let types: Int
        private let others: Int
        private let leapSeconds: Int

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Self.length, bytes.starts(with: "TZif".utf8) else { return nil }
            version = bytes[bytes.startIndex + 4]
            let counts = (0..<6).map { Int(UInt32(truncatingIfNeeded: bytes.number(at: 20 + 4 * $0, of: 4))) }
            // Indicators of UT and of standard time, and the letters of abbreviations, have a byte each.
            others = counts[0] + counts[1] + counts[5]
            (leapSeconds, times, types) = (counts[2], counts[3], counts[4])
        }

        /// Bytes of the block with its header.
        func length(ofTime size: Int) -> Int {
            Self.length + times * (size + 1) + types * 6 + leapSeconds * (size + 4) + others
        }
    }
}

extension ArraySlice<UInt8> {
    /// A number of so many bytes, the highest first.
    fileprivate func number(at position: Int, of count: Int) -> Int64 {
        dropFirst(position).prefix(count).reduce(0) { $0 << 8 | Int64($1) }
    }
}
