import Glibc

/// Whether an address is one of the public internet (RFC 6890, and IANA's registries of special-purpose addresses).
enum AddressRange {
    /// Whether a call to an address is allowed.
    static func allows(_ address: UnsafePointer<sockaddr>, _ reach: OutsideReach) -> Bool {
        switch reach {
        case .everywhere, .direct: true
        case .publicOnly: isPublic(address)
        case .publicOrLoopback: isPublic(address) || isLoopback(address)
        }
    }

    private static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
        guard let bytes = bytes(address) else { return false }
        return bytes.count == 4 ? isPublic4(bytes[...]) : isPublic6(bytes)
    }

    private static func isLoopback(_ address: UnsafePointer<sockaddr>) -> Bool {
        guard let bytes = bytes(address) else { return false }
        if bytes.count == 4 { return bytes[0] == 127 }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    private static func bytes(_ address: UnsafePointer<sockaddr>) -> [UInt8]? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
            }
        default: nil
        }
    }

    private static func isPublic4(_ bytes: ArraySlice<UInt8>) -> Bool {
        let all = Array(bytes)
        return switch (all[0], all[1], all[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224...255, _, _): false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }

    /// What was given out of 2000::/3, without its special parts; forms of IPv4 are judged by the address in them.
    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        if isMapped { return isPublic4(bytes[12...]) }
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1]) {
        // 2001::/23, Teredo among it, and documentation.
        case (0x20, 0x01): return bytes[2] >= 2 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        // 6to4.
        case (0x20, 0x02): return false
        // Documentation.
        case (0x3F, 0xFF): return bytes[2] >= 0x10
        default: return true
        }
    }
}
