import ExposureKeys

/// Good keys in the canonical form of Protocol Buffers, which all libraries write: fields in the schema's order, each once.
///
/// A batch has 5,000 keys with twenty countries each, and a library makes a text of every country. Keys that this doesn't read, bad ones
/// included, are left to it.
struct CanonicalKeys {
    /// The countries of the key before, which mostly has the same, and their fields.
    private var countries: [CountryCode] = []
    private var countryFields: [Field] = []

    /// A field with a country: tag, length and letters, as they lie in memory.
    private typealias Field = UInt32

    /// The tags of the schema's fields: a number, and how the value is written.
    private enum Tag {
        static let key: UInt8 = 1 << 3 | 2
        static let data: UInt8 = 1 << 3 | 2
        static let start: UInt8 = 2 << 3
        static let period: UInt8 = 3 << 3
        static let level: UInt8 = 4 << 3
        static let country: UInt8 = 5 << 3 | 2
        static let origin: UInt8 = 6 << 3 | 2
        static let type: UInt8 = 7 << 3
        static let days: UInt8 = 8 << 3
    }

    private static let lengthOfCountry: UInt8 = 2

    // MARK: Reading

    /// Nil for a key that isn't good, or in another form.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> FederatedKey? {
        var reader = Reader(bytes)
        guard reader.skip(Tag.data), reader.skip(UInt8(KeyData.count)), let data = KeyData(reader.next(KeyData.count)),
            let start = reader.number(Tag.start), let length = reader.number(Tag.period),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length),
            let level = reader.number(Tag.level),
            let riskLevel = FederatedRiskLevel(rawValue: Int32(bitPattern: level)),
            readCountries(&reader), let origin = reader.country(Tag.origin),
            let type = reader.number(Tag.type), let reportType = ReportType(rawValue: Int(type)),
            let days = reader.number(Tag.days), reader.isAtEnd
        else { return nil }
        return FederatedKey(
            data: data, rollingPeriod: period, riskLevel: riskLevel, visitedCountries: countries, origin: origin,
            reportType: reportType, daysSinceOnset: Int32(bitPattern: days >> 1) ^ -Int32(days & 1))
    }

    /// Leaves them in ``countries``; false for one that isn't good.
    private mutating func readCountries(_ reader: inout Reader) -> Bool {
        if reader.skip(countryFields) { return true }
        (countries, countryFields) = ([], [])
        while reader.peek == Tag.country {
            guard let country = reader.country(Tag.country) else { return false }
            countries.append(country)
            countryFields.append(Self.field(country))
        }
        return true
    }

    private static func field(_ country: CountryCode) -> Field {
        country.withUnsafeBytes { letters in
            withUnsafeBytes(of: (Tag.country, lengthOfCountry, letters[0], letters[1])) {
                $0.loadUnaligned(as: Field.self)
            }
        }
    }

    private struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var place = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isAtEnd: Bool { place == bytes.count }
        var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

        mutating func next(_ count: Int) -> UnsafeRawBufferPointer {
            let read = UnsafeRawBufferPointer(rebasing: bytes[place..<min(place + count, bytes.count)])
            place += read.count
            return read
        }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard peek == byte else { return false }
            place += 1
            return true
        }

        /// Skips these fields if they come, and no other country behind them.
        mutating func skip(_ fields: [Field]) -> Bool {
            let end = place + fields.count * MemoryLayout<Field>.size
            guard end < bytes.count, bytes[end] != Tag.country else { return false }
            var next = place
            for field in fields {
                guard bytes.loadUnaligned(fromByteOffset: next, as: Field.self) == field else { return false }
                next += MemoryLayout<Field>.size
            }
            place = end
            return true
        }

        /// A number of 32 bits; 0 if the field isn't there, and nil if it has more bits.
        mutating func number(_ tag: UInt8) -> UInt32? {
            guard skip(tag) else { return 0 }
            var number: UInt32 = 0
            for shift in stride(from: UInt32(0), to: 35, by: 7) {
                guard let byte = peek, shift < 28 || byte < 0x10 else { return nil }
                place += 1
                number |= UInt32(byte & 0x7F) << shift
                if byte < 0x80 { return number }
            }
            return nil
        }

        mutating func country(_ tag: UInt8) -> CountryCode? {
            guard skip(tag), skip(lengthOfCountry), place + 2 <= bytes.count else { return nil }
            defer { place += 2 }
            return CountryCode(bytes[place], bytes[place + 1])
        }
    }

    // MARK: Writing

    /// An `eu.interop.DiagnosisKeyBatch`.
    static func body(of keys: [FederatedKey]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(keys.count * usualLength)
        var writer = CanonicalKeys()
        for key in keys { writer.write(key, to: &body) }
        return body
    }

    /// Of a key with twenty countries.
    private static let usualLength = 128
    /// Of a key, without its countries: 18 for the data, and at most six for each number.
    private static let longestRest = 64

    private mutating func write(_ key: FederatedKey, to body: inout [UInt8]) {
        if key.visitedCountries != countries {
            countries = key.visitedCountries
            countryFields = countries.map(Self.field)
        }
        let room = Self.longestRest + countryFields.count * MemoryLayout<Field>.size
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { room in
            var writer = Writer(room)
            writer.write(Tag.data)
            writer.write(UInt8(KeyData.count))
            key.data.withUnsafeBytes { writer.write($0) }
            writer.write(key.rollingPeriod.start.rawValue, Tag.start)
            writer.write(key.rollingPeriod.length, Tag.period)
            writer.write(UInt32(bitPattern: key.riskLevel.rawValue), Tag.level)
            countryFields.withUnsafeBytes { writer.write($0) }
            writer.write(Tag.origin)
            writer.write(Self.lengthOfCountry)
            key.origin.withUnsafeBytes { writer.write($0) }
            writer.write(UInt32(key.reportType.rawValue), Tag.type)
            writer.write(UInt32(bitPattern: key.daysSinceOnset << 1 ^ key.daysSinceOnset >> 31), Tag.days)
            body.append(Tag.key)
            var length = UInt32(writer.count)
            while length >= 0x80 {
                body.append(UInt8(truncatingIfNeeded: length) | 0x80)
                length >>= 7
            }
            body.append(UInt8(length))
            body.append(contentsOf: UnsafeBufferPointer(rebasing: room[..<writer.count]))
        }
    }

    private struct Writer {
        private let room: UnsafeMutableBufferPointer<UInt8>
        private(set) var count = 0

        init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

        mutating func write(_ byte: UInt8) {
            room[count] = byte
            count += 1
        }

        mutating func write(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[count...]).copyMemory(
                from: bytes)
            count += bytes.count
        }

        /// A field; nothing for 0.
        mutating func write(_ number: UInt32, _ tag: UInt8) {
            guard number != 0 else { return }
            write(tag)
            var number = number
            while number >= 0x80 {
                write(UInt8(truncatingIfNeeded: number) | 0x80)
                number >>= 7
            }
            write(UInt8(number))
        }
    }
}
