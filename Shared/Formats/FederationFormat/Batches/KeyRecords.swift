package import Crypto
import ExposureKeys

/// Keys in the form that a batch's signature covers (efgs-federation-gateway, `BatchSignatureUtils`).
///
/// A key's record is its eight fields in the order of the schema, each in Base64 and followed by a full stop; numbers
/// have four bytes, big-endian, in two's complement. Records are signed one after another, in the order of their Base64
/// text: that of the whole record, which differs from the order of the records.
package struct KeyRecords: Hashable, Sendable {
    /// One record after another, in the order in which they were added.
    private var bytes: [UInt8] = []
    /// Where each ends.
    private var ends: [Int] = []

    /// No records.
    package init() {}

    /// Those of keys, in their order.
    package init(_ keys: some Sequence<UncheckedKey>) {
        for key in keys { append(key) }
    }

    init(_ keys: [FederatedKey]) {
        reserve(keys.count)
        var countries = CountryText()
        for key in keys { append(key, &countries) }
    }

    /// Some of others' records, in the order of the positions.
    init(_ positions: [Int], of others: KeyRecords) {
        bytes = others.joined(positions)
        ends.reserveCapacity(positions.count)
        var end = 0
        for position in positions {
            end += others.range(of: position).count
            ends.append(end)
        }
    }

    /// Makes room for records of usual lengths.
    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count * Self.usualLength)
        ends.reserveCapacity(ends.count + count)
    }

    /// Of a record with twenty countries.
    private static let usualLength = 192

    /// The number of records.
    package var count: Int { ends.count }

    /// A key's record; empty for a key that couldn't be read.
    package subscript(position: Int) -> ArraySlice<UInt8> { bytes[range(of: position)] }

    private func range(of position: Int) -> Range<Int> { (position == 0 ? 0 : ends[position - 1])..<ends[position] }

    /// SHA-256 of a record, by which the gateway recognises a key that it has.
    package func digest(at position: Int) -> SHA256Digest { SHA256.hash(data: self[position]) }

    /// What a signature over all records covers.
    package var signedBytes: [UInt8] { signedBytes(of: 0..<count) }

    /// What a signature over some records covers; the order of the positions has no effect.
    package func signedBytes(of positions: some Collection<Int>) -> [UInt8] { joined(order(of: positions)) }

    private func joined(_ positions: [Int]) -> [UInt8] {
        let count = positions.reduce(0) { $0 + range(of: $1).count }
        return bytes.withUnsafeBytes { all in
            [UInt8](unsafeUninitializedCapacity: count) { room, written in
                for position in positions {
                    let record = UnsafeRawBufferPointer(rebasing: all[range(of: position)])
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[written...])
                        .copyMemory(from: record)
                    written += record.count
                }
            }
        }
    }

    // MARK: Order

    /// Positions in the order of their records' Base64 text. Equal records keep the order of their positions.
    func order(of positions: some Collection<Int>) -> [Int] {
        bytes.withUnsafeBytes { all in
            func record(_ position: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: all[range(of: position)])
            }
            var places = positions.map { (start: Self.start(of: record($0)), position: $0) }
            places.sort { left, right in
                if left.start != right.start { return left.start < right.start }
                let (first, second) = (record(left.position), record(right.position))
                return Self.rest(of: first, precedes: second) ?? (left.position < right.position)
            }
            return places.map(\.position)
        }
    }

    /// The Base64 text of a record's first six bytes as an integer: seldom do two keys share it. 0 for an empty record.
    private static func start(of record: UnsafeRawBufferPointer) -> UInt64 {
        // All others are longer: they have eight full stops, and five numbers of four bytes.
        guard record.count >= 8 else { return 0 }
        let pairs = Base64Writer.pairs
        let bits = Int(truncatingIfNeeded: UInt64(bigEndian: record.loadUnaligned(as: UInt64.self)) >> 16)
        return UInt64(pairs[bits >> 36]) << 48 | UInt64(pairs[bits >> 24 & 0xFFF]) << 32
            | UInt64(pairs[bits >> 12 & 0xFFF]) << 16 | UInt64(pairs[bits & 0xFFF])
    }

    /// Compares the Base64 of the three bytes among which two records first differ; nil if they are equal.
    private static func rest(of first: UnsafeRawBufferPointer, precedes second: UnsafeRawBufferPointer) -> Bool? {
        let shorter = min(first.count, second.count)
        var same = 0
        while same < shorter, first[same] == second[same] { same += 1 }
        // No record begins with another, unless that is empty.
        guard same < shorter else { return first.count == second.count ? nil : first.count < second.count }
        let group = same - same % 3
        func letters(_ record: UnsafeRawBufferPointer) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 4) { room, count in
                var writer = Base64Writer(room)
                writer.write(UnsafeRawBufferPointer(rebasing: record[group..<min(group + 3, record.count)]))
                count = writer.count
            }
        }
        return letters(first).lexicographicallyPrecedes(letters(second))
    }

    // MARK: Layout

    /// Adds the record of a key, good or bad.
    mutating func append(_ key: UncheckedKey) {
        let countries = CountryText(key.visitedCountries.joined(separator: ",")).encoded
        var origin = key.origin
        key.data.withUnsafeBytes { data in
            origin.withUTF8 { origin in
                append(
                    data, key.rollingStart, key.rollingPeriod, key.riskLevel, countries, UnsafeRawBufferPointer(origin),
                    key.reportType, key.daysSinceOnset)
            }
        }
    }

    /// Adds an empty record, for a key that can't be read.
    mutating func appendUnreadable() { ends.append(bytes.count) }

    /// Adds the record of a key.
    mutating func append(_ key: FederatedKey, _ countries: inout CountryText) {
        countries.set(key.visitedCountries)
        // Numbers, so that the closures count no users of the key's list.
        let (period, level, type, days) = (key.rollingPeriod, key.riskLevel, key.reportType, key.daysSinceOnset)
        let (data, origin) = (key.data, key.origin)
        data.withUnsafeBytes { data in
            origin.withUnsafeBytes { origin in
                append(
                    data, period.start.rawValue, period.length, level.rawValue, countries.encoded, origin,
                    Int32(type.rawValue), days)
            }
        }
    }

    private mutating func append(
        _ data: UnsafeRawBufferPointer, _ start: UInt32, _ period: UInt32, _ level: Int32, _ countries: [UInt8],
        _ origin: UnsafeRawBufferPointer, _ type: Int32, _ days: Int32
    ) {
        let count =
            Base64Writer.letters(of: data.count) + countries.count + Base64Writer.letters(of: origin.count)
            + 5 * Base64Writer.letters(of: 4) + 8
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { room in
            var writer = Base64Writer(room)
            writer.write(data)
            writer.writeStop()
            writer.write(start)
            writer.writeStop()
            writer.write(period)
            writer.writeStop()
            writer.write(UInt32(bitPattern: level))
            writer.writeStop()
            countries.withUnsafeBytes { writer.copy($0) }
            writer.writeStop()
            writer.write(origin)
            writer.writeStop()
            writer.write(UInt32(bitPattern: type))
            writer.writeStop()
            writer.write(UInt32(bitPattern: days))
            writer.writeStop()
            bytes.append(contentsOf: UnsafeBufferPointer(room))
        }
        ends.append(bytes.count)
    }
}

/// A list of countries, with commas and in Base64. It is kept, because keys that follow one another mostly have the same list.
struct CountryText {
    private var countries: [CountryCode] = []
    private(set) var encoded: [UInt8] = []

    /// No countries.
    init() {}

    init(_ text: String) { encoded = Self.encoded(Array(text.utf8)) }

    mutating func set(_ countries: [CountryCode]) {
        guard countries != self.countries else { return }
        self.countries = countries
        encoded = Self.encoded(Array(countries.map(\.bytes).joined(separator: [UInt8(ascii: ",")])))
    }

    private static func encoded(_ text: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Base64Writer.letters(of: text.count)) { room, count in
            var writer = Base64Writer(room)
            text.withUnsafeBytes { writer.write($0) }
            count = writer.count
        }
    }
}
