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
        bytes.reserveCapacity(keys.count * 128)
        for key in keys { append(key) }
    }

    /// The number of records.
    package var count: Int { ends.count }

    /// A key's record; empty for a key that couldn't be read.
    package subscript(position: Int) -> ArraySlice<UInt8> {
        bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
    }

    /// SHA-256 of a record, by which the gateway recognises a key that it has.
    package func digest(at position: Int) -> SHA256Digest { SHA256.hash(data: self[position]) }

    /// What a signature over all records covers.
    package var signedBytes: [UInt8] { signedBytes(of: 0..<count) }

    /// What a signature over some records covers; the order of the positions has no effect.
    package func signedBytes(of positions: some Collection<Int>) -> [UInt8] {
        var signed: [UInt8] = []
        let sorted = order(of: positions)
        signed.reserveCapacity(sorted.reduce(0) { $0 + self[$1].count })
        for position in sorted { signed += self[position] }
        return signed
    }

    // MARK: Order

    /// Positions in the order of their records' Base64 text. Equal records keep the order of their positions.
    func order(of positions: some Collection<Int>) -> [Int] {
        positions.map { Place(position: $0, record: self[$0]) }.sorted { left, right in
            if left.high != right.high { return left.high < right.high }
            if left.low != right.low { return left.low < right.low }
            return rest(left, precedes: right)
        }.map(\.position)
    }

    /// A record's position, and the Base64 text of its first twelve bytes as two integers: seldom do two keys share
    /// them.
    private struct Place {
        let position: Int
        let high: UInt64
        let low: UInt64

        init(position: Int, record: ArraySlice<UInt8>) {
            self.position = position
            var text: [UInt8] = []
            var appender = Base64Appender()
            appender.append(record.prefix(12), to: &text)
            high = text.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            low = text.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Compares the Base64 of the three bytes among which two records first differ.
    private func rest(_ left: Place, precedes right: Place) -> Bool {
        let (first, second) = (self[left.position], self[right.position])
        let length = zip(first, second).prefix { $0 == $1 }.count
        // No record begins with another, so this is the case for equal ones only.
        guard length < first.count, length < second.count else {
            return first.count == second.count ? left.position < right.position : first.count < second.count
        }
        let group = length - length % 3
        return Base64Appender.group(of: first, at: first.startIndex + group)
            .lexicographicallyPrecedes(Base64Appender.group(of: second, at: second.startIndex + group))
    }

    // MARK: Layout

    /// Adds the record of a key, good or bad.
    mutating func append(_ key: UncheckedKey) {
        var countries = key.visitedCountries.joined(separator: ",")
        countries.makeContiguousUTF8()
        var writer = Base64Appender()
        part(key.data, &writer)
        part(key.rollingStart, &writer)
        part(key.rollingPeriod, &writer)
        part(UInt32(bitPattern: key.riskLevel), &writer)
        part(countries.utf8, &writer)
        part(key.origin.utf8, &writer)
        part(UInt32(bitPattern: key.reportType), &writer)
        part(UInt32(bitPattern: key.daysSinceOnset), &writer)
        ends.append(bytes.count)
    }

    /// Adds an empty record, for a key that can't be read.
    mutating func appendUnreadable() { ends.append(bytes.count) }

    private mutating func append(_ key: FederatedKey) {
        var writer = Base64Appender()
        part(key.data.high, &writer, and: key.data.low)
        part(key.rollingPeriod.start.rawValue, &writer)
        part(key.rollingPeriod.length, &writer)
        part(UInt32(bitPattern: key.riskLevel.rawValue), &writer)
        for (number, country) in key.visitedCountries.enumerated() {
            if number > 0 { writer.append(UInt8(ascii: ","), to: &bytes) }
            writer.append(country.bytes, to: &bytes)
        }
        end(&writer)
        part(key.origin.bytes, &writer)
        part(UInt32(key.reportType.rawValue), &writer)
        part(UInt32(bitPattern: key.daysSinceOnset), &writer)
        ends.append(bytes.count)
    }

    private mutating func part(_ content: some Sequence<UInt8>, _ writer: inout Base64Appender) {
        writer.append(content, to: &bytes)
        end(&writer)
    }

    private mutating func part(_ number: UInt32, _ writer: inout Base64Appender) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            writer.append(UInt8(truncatingIfNeeded: number >> shift), to: &bytes)
        }
        end(&writer)
    }

    private mutating func part(_ high: UInt64, _ writer: inout Base64Appender, and low: UInt64) {
        for number in [high, low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                writer.append(UInt8(truncatingIfNeeded: number >> shift), to: &bytes)
            }
        }
        end(&writer)
    }

    private mutating func end(_ writer: inout Base64Appender) {
        writer.finish(&bytes)
        bytes.append(UInt8(ascii: "."))
    }
}
