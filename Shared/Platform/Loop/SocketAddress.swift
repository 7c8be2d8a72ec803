internal import CLinux
internal import Glibc

/// The address of a TCP peer. Logs and answers never show it.
package struct SocketAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    private let isIPv6: Bool
    /// The peer's port.
    package let port: Int

    /// The 4 or 16 bytes of the address. An IPv4 address in IPv6 form has 4.
    package var bytes: [UInt8] {
        if isIPv6 { return Self.bytes(high) + Self.bytes(low) }
        return Array(Self.bytes(low).suffix(4))
    }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }

    /// An address of IPv6; one of IPv4 in its form becomes that.
    private init(high: UInt64, low: UInt64, port: Int) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        (self.high, self.low, isIPv6) = (high, isMapped ? low & 0xFFFF_FFFF : low, !isMapped)
        self.port = port
    }

    private init(ipv4 address: UInt32, port: Int) {
        self.init(high: 0, low: 0xFFFF << 32 | UInt64(address), port: port)
    }

    /// - Parameter bytes: the 4 or 16 bytes of an address; nil for any other number.
    init?(_ bytes: some Collection<UInt8>, port: Int) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(ipv4: UInt32(number(bytes)), port: port)
        case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)), port: port)
        default: return nil
        }
    }

    /// Nil unless the address is one of IPv4 or IPv6.
    init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            self.init(ipv4: UInt32(bigEndian: address.sin_addr.s_addr), port: Int(UInt16(bigEndian: address.sin_port)))
        case AF_INET6:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            let halves = withUnsafeBytes(of: address.sin6_addr) {
                (
                    UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                    UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
            self.init(high: halves.0, low: halves.1, port: Int(UInt16(bigEndian: address.sin6_port)))
        default:
            return nil
        }
    }

    /// The peer of a connected socket; nil if it isn't TCP.
    init?(peerOf descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
        self.init(storage)
    }
}

/// A system call on a socket failed.
package struct SocketProblem: Error, Hashable, Sendable {
    /// The `errno`.
    package let code: Int32

    /// - Parameter code: an `errno`.
    package init(code: Int32) {
        self.code = code
    }
}
