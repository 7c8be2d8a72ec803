import ArgumentParser
import Catalogue
import Foundation

/// Where a door is, as its callers type it: scheme, host and port.
struct DoorAddress: ExpressibleByArgument, CustomStringConvertible {
    /// A URL without a path.
    let description: String

    /// Takes a URL; of several, separated by commas, the first, as in VIGIL_PORTAL_ORIGINS. Or an address and port at which a door is
    /// published, as in VIGIL_APPS: on this machine it is called `localhost`, which is a name in its certificate.
    init?(argument: String) {
        let first = argument.prefix { $0 != "," }
        let text = first.contains("://") ? String(first) : "https://\(first)"
        guard let url = URL(string: text), url.scheme == "https", let host = url.host(), ["", "/"].contains(url.path())
        else { return nil }
        let name = first.contains("://") || !["0.0.0.0", "127.0.0.1"].contains(host) ? host : "localhost"
        description = "https://\(name)" + (url.port.map { $0 == 443 ? "" : ":\($0)" } ?? "")
    }

    /// A service's listener in a suite in containers, on this machine.
    init(of service: Catalogue.Service, _ listener: Catalogue.ListenerName, on host: String = "localhost") {
        description = "https://\(host):\(service.listener(listener)?.port.number ?? 0)"
    }
}
