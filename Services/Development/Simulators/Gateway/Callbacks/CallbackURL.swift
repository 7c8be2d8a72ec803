import FoundationEssentials
import OutsideCalls

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
        return await OutsideReach.publicOrLoopback.allows(host: name)
    }
}
