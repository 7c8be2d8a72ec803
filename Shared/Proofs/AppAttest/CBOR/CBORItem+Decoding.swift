extension CBORItem {
    /// Reads what is exactly one item, with nothing after it; nil for anything else. See ``first(in:)``.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let (item, count) = Self.first(in: bytes), count == bytes.count else { return nil }
        self = item
    }

    /// Reads the item at the beginning, and tells how many bytes it has; nil unless there is one in the only form that
    /// ``encoded`` writes.
    ///
    /// Apple writes no other: definite lengths, heads as short as they can be, no tags, floats or simple values. A key
    /// twice in a map, and items deeper than ``deepest``, are refused, too.
    package static func first(in bytes: some Collection<UInt8>) -> (item: CBORItem, count: Int)? {
        var reader = CBORReader(Array(bytes))
        return reader.item(depth: 1).map { ($0, reader.place) }
    }
}

/// Goes through bytes once.
private struct CBORReader {
    private let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var remaining: Int { bytes.count - place }

    /// - Parameter depth: of the item, 1 for the outermost.
    mutating func item(depth: Int) -> CBORItem? {
        guard depth <= CBORItem.deepest, let (major, argument) = head() else { return nil }
        switch major {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return content(argument).map { .bytes(Array($0)) }
        case 3: return content(argument).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case 4: return array(argument, depth: depth)
        case 5: return map(argument, depth: depth)
        default: return nil
        }
    }

    /// The major type, and the number that comes with it in as few bytes as it needs.
    private mutating func head() -> (major: UInt8, argument: UInt64)? {
        guard remaining > 0 else { return nil }
        let first = bytes[place]
        place += 1
        let (major, short) = (first >> 5, first & 0x1F)
        if short < 24 { return (major, UInt64(short)) }
        guard short < 28 else { return nil }
        let length = 1 << Int(short - 24)
        guard length <= remaining else { return nil }
        let argument = bytes[place..<(place + length)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        place += length
        let least: UInt64 = length == 1 ? 24 : 1 << (UInt64(length) * 4)
        return argument >= least ? (major, argument) : nil
    }

    private mutating func content(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= remaining else { return nil }
        defer { place += Int(count) }
        return bytes[place..<(place + Int(count))]
    }

    private mutating func array(_ count: UInt64, depth: Int) -> CBORItem? {
        // Each item has a byte at least: what can't be there gets no memory.
        guard count <= remaining else { return nil }
        var items: [CBORItem] = []
        items.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let item = item(depth: depth + 1) else { return nil }
            items.append(item)
        }
        return .array(items)
    }

    private mutating func map(_ count: UInt64, depth: Int) -> CBORItem? {
        guard count <= remaining / 2 else { return nil }
        var pairs: [(key: CBORItem, value: CBORItem)] = []
        pairs.reserveCapacity(Int(count))
        // Every item has one form only, so that equal keys have equal bytes.
        var keys: Set<ArraySlice<UInt8>> = []
        for _ in 0..<count {
            let start = place
            guard let key = item(depth: depth + 1), keys.insert(bytes[start..<place]).inserted,
                let value = item(depth: depth + 1)
            else { return nil }
            pairs.append((key, value))
        }
        return .map(pairs)
    }
}
