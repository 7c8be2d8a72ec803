import FoundationEssentials
import Glibc
import Loop

/// Where a country may want to be called (efgs-federation-gateway, `CallbackService`): over HTTPS, without a query, and at no
/// private address. Loopback addresses are private, too, but allowed here: on one machine there are no others.
enum CallbackURL {
    /// Characters that the gateway stores.
    static let longest = 256
    /// Characters of a subscription's name that it stores.
    static let longestID = 32

    /// - Returns: false also for a host that can't be found.
    static func isAllowed(_ text: String) async -> Bool {
        guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.query() == nil,
            let host = url.host(), !host.isEmpty
        else { return false }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        // The system's resolver waits for the network.
        let address = await Blocking.run { firstAddress(of: name) }
        return address.map { !isPrivate($0) } ?? false
    }

    /// The first address of a name, as text; of an IPv4 address in IPv6 only that.
    private static func firstAddress(of host: String) -> String? {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, nil, &list) == 0, let first = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        var text = [UInt8](repeating: 0, count: 64)
        let status = text.withUnsafeMutableBytes { bytes in
            getnameinfo(
                first.ai_addr, first.ai_addrlen, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                socklen_t(bytes.count), nil, 0, NI_NUMERICHOST)
        }
        guard status == 0 else { return nil }
        let address = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        return address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : address
    }

    private static func isPrivate(_ address: String) -> Bool {
        let parts = address.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else {
            return address == "::" || ["fc", "fd"].contains(address.prefix(2).lowercased())
        }
        switch (parts[0], parts[1]) {
        case (10, _), (100, 64...127), (169, 254), (172, 16...31), (192, 168), (0, _): return true
        default: return false
        }
    }
}
