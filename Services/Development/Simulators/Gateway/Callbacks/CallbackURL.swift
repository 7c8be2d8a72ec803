import FoundationEssentials
import NIOCore
import NIOPosix

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
        let address = try? await NIOThreadPool.singleton.runIfActive {
            try SocketAddress.makeAddressResolvingHost(name, port: 443).ipAddress
        }
        return address.flatMap { $0 }.map { !isPrivate($0) } ?? false
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
