import Glibc
import Loop

/// An IP address, and whether it is one of the public internet (IANA's registries of special-purpose addresses, RFC 6890).
struct OutsideAddress: Equatable, Sendable {
    /// Four or 16. An IPv4 address in IPv6 form (`::ffff:0:0/96`) has four: that is where a connection to it goes.
    let bytes: [UInt8]

    /// Nil for another number of bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        self.bytes = bytes.count == 16 && isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// The addresses of a name, or the one that a text is in any form that the system reads, such as `0x7f.1`. This may wait for
    /// seconds.
    @Sendable static func of(_ host: String) -> [OutsideAddress] {
        let literal = NameLookup.literal(host, port: 0).map { [$0] }
        return (literal ?? NameLookup.addresses(of: host, port: 0)).compactMap { OutsideAddress(bytes: $0.bytes) }
    }

    /// As in a URL.
    var text: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        let digits = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return bytes.count == 4 ? digits : "[\(digits)]"
    }

    /// Whether a call to it is allowed.
    func isAllowed(_ reach: OutsideReach) -> Bool {
        switch reach {
        case .everywhere, .direct: true
        case .publicOnly: isPublic
        case .publicOrLoopback: isPublic || isLoopback
        }
    }

    /// Whether it is one of this machine.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    private var isPublic: Bool { bytes.count == 4 ? Self.isPublic4(bytes) : Self.isPublic6(bytes) }

    private static func isPublic4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224...255, _, _): false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }

    /// What was given out of 2000::/3, without its special parts, and public IPv4 behind a NAT64 (RFC 6052, section 2.1).
    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return isPublic4(Array(bytes[12...])) }
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1]) {
        // 2001::/23, Teredo among it, and documentation.
        case (0x20, 0x01): return bytes[2] >= 2 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        // 6to4, whose relays are gone (RFC 7526).
        case (0x20, 0x02): return false
        // Documentation.
        case (0x3F, 0xFF): return bytes[2] >= 0x10
        default: return true
        }
    }
}
