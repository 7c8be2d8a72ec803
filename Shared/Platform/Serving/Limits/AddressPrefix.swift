package import Loop

/// The network that a caller is in: the first 24 bits of an IPv4 address, 48 of an IPv6 address.
///
/// It is all that a connection keeps of its caller's address for limits.
package struct AddressPrefix: Hashable, Sendable {
    private let bits: UInt64

    /// Callers without an address, such as the peers of a Unix socket, share one prefix.
    package init(_ address: SocketAddress?) {
        self.init(bytes: address?.bytes ?? [])
    }

    /// - Parameter bytes: the 4 or 16 bytes of an address; others are of no network.
    package init(bytes: [UInt8]) {
        let prefix: ArraySlice<UInt8> =
            switch bytes.count {
            case 4: bytes.prefix(3)
            // An IPv4-mapped IPv6 address (::ffff:a.b.c.d) counts as IPv4.
            case 16 where bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]): bytes[12..<15]
            default: bytes.prefix(6)
            }
        // The number of bytes comes first, so that no IPv4 prefix equals an IPv6 prefix.
        bits = prefix.reduce(UInt64(prefix.count)) { $0 << 8 | UInt64($1) }
    }
}
