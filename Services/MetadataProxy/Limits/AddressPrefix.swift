import NIOCore
import ServiceKit

/// The part of the net that a caller is in: the first 24 bits of an IPv4 address, 48 of IPv6.
///
/// It is all that a connection keeps of its caller's address.
struct AddressPrefix: Hashable {
    private let bits: UInt64

    /// Who has no address, such as a Unix socket's peer, shares one prefix.
    init(_ address: SocketAddress?) {
        let bytes = address?.ipAddress.flatMap(IPAddress.bytes) ?? []
        let prefix: ArraySlice<UInt8> =
            switch bytes.count {
            case 4: bytes.prefix(3)
            // An IPv4 address in IPv6 notation (::ffff:a.b.c.d) is one of IPv4.
            case 16 where bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]): bytes[12..<15]
            default: bytes.prefix(6)
            }
        // With their number before them, the three bytes 203.0.113 are none of IPv6's.
        bits = prefix.reduce(UInt64(prefix.count)) { $0 << 8 | UInt64($1) }
    }
}
