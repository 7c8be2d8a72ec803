package import Loop
package import Running
import TLS

/// The load balancers that a listener believes when they say for whom they call (the PROXY protocol).
///
/// A connection from one must begin with a ``ProxyHeader``, and counts for the caller that it names. From anybody else nothing is
/// read, so nobody else can claim an address.
package struct Balancers: Sendable {
    private let ranges: [AddressRange]

    /// Believes nobody.
    package static let none = Balancers(ranges: [])

    private init(ranges: [AddressRange]) { self.ranges = ranges }

    /// Those of `<listener>.proxyProtocol`: addresses and ranges such as `10.0.0.0/24`, separated by commas; none by default.
    ///
    /// - Throws: ``ConfigurationProblem`` that quotes what is neither.
    package init(of listener: String, _ settings: Settings) throws(ConfigurationProblem) {
        let key = "\(listener).proxyProtocol"
        var ranges: [AddressRange] = []
        for text in settings.list(key) {
            guard let range = AddressRange(text) else {
                throw settings.wrong(
                    key,
                    "has \(text), which is neither an address nor a range such as 10.0.0.0/24 or fd00::/64 whose bits "
                        + "beyond its length are 0")
            }
            ranges.append(range)
        }
        self.ranges = ranges
    }

    /// Whether it believes nobody.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Whether an address is a balancer's.
    package func contains(_ address: SocketAddress) -> Bool {
        if ranges.isEmpty { return false }
        let bytes = address.bytes
        return ranges.contains { $0.contains(bytes) }
    }
}

/// Addresses with the same first bits (RFC 4632, 3.1; RFC 4291, 2.3).
private struct AddressRange: Sendable {
    private let bytes: [UInt8]
    private let length: Int

    /// Nil for what is no range, and for the range of all addresses, which would let every caller claim one.
    ///
    /// IPv4 addresses in IPv6 form are those of IPv4, as in ``SocketAddress``.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, var bytes = IPAddress.bytes(String(first)) else { return nil }
        var length = bytes.count * 8
        if let written = parts.dropFirst().first {
            guard written.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(written),
                (1...length).contains(number)
            else { return nil }
            length = number
        }
        for bit in length..<bytes.count * 8 {
            let mask = UInt8(0x80) >> (bit % 8)
            guard bytes[bit / 8] & mask == 0 else { return nil }
        }
        // No such range is shorter than 96 bits: some of its bits would be beyond its length.
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            bytes.removeFirst(12)
            length -= 96
            guard length > 0 else { return nil }
        }
        (self.bytes, self.length) = (bytes, length)
    }

    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard address.prefix(whole) == bytes.prefix(whole) else { return false }
        if rest == 0 { return true }
        let difference = address[whole] ^ bytes[whole]
        return difference >> (8 - rest) == 0
    }
}
