extension CBORItem {
    /// The only form that ``init(_:)`` reads: the shortest heads, definite lengths (RFC 8949, section 4.2.1), and maps
    /// in their order.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .unsigned(let number): Self.writeHead(0, number, to: &bytes)
        case .negative(let number): Self.writeHead(1, number, to: &bytes)
        case .bytes(let content):
            Self.writeHead(2, UInt64(content.count), to: &bytes)
            bytes += content
        case .text(let text):
            Self.writeHead(3, UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        case .array(let items):
            Self.writeHead(4, UInt64(items.count), to: &bytes)
            for item in items { item.write(to: &bytes) }
        case .map(let pairs):
            Self.writeHead(5, UInt64(pairs.count), to: &bytes)
            for pair in pairs {
                pair.key.write(to: &bytes)
                pair.value.write(to: &bytes)
            }
        }
    }

    private static func writeHead(_ major: UInt8, _ argument: UInt64, to bytes: inout [UInt8]) {
        let length =
            switch argument {
            case ..<24: 0
            case ...0xFF: 1
            case ...0xFFFF: 2
            case ...0xFFFF_FFFF: 4
            default: 8
            }
        guard length > 0 else { return bytes.append(major << 5 | UInt8(truncatingIfNeeded: argument)) }
        bytes.append(major << 5 | UInt8(24 + length.trailingZeroBitCount))
        for place in (0..<length).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * UInt64(place))))
        }
    }
}
