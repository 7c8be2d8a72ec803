import HTTPContract
import HTTPTypes
import Hummingbird
import Pages
import Running

/// The addresses under which browsers reach the portal.
///
/// A request for any other host is refused. What a proxy adds (`X-Forwarded-Host`) is ignored, because anybody can send it.
struct Origins: Sendable {
    /// By host, or host and port, as `Host` names it.
    private let byAuthority: [String: Origin]

    /// From `origins`: `https`, host and port unless it is 443; separated by commas.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        var byAuthority: [String: Origin] = [:]
        for text in settings.list("origins") {
            guard let origin = try? Origin(text) else {
                throw settings.wrong("origins", "must be addresses such as https://codes.example.org, without a path")
            }
            byAuthority[String(text.dropFirst("https://".count))] = origin
        }
        guard !byAuthority.isEmpty else { throw settings.missing("origins") }
        self.byAuthority = byAuthority
    }

    /// The origin that a request is for; nil if it is none of ours.
    func origin(of request: Request) -> Origin? {
        guard let authority = request.head.authority?.lowercased(), request.headers[values: .host].count <= 1 else {
            return nil
        }
        return byAuthority[authority]
    }
}

extension HTTPField.Name {
    /// The field of HTTP/1.1; the library moves it to the request's authority.
    fileprivate static let host = known("Host")
    /// How a request came about (Fetch Metadata, section 2.4).
    static let secFetchSite = known("Sec-Fetch-Site")
    /// What a browser has to forget (Clear Site Data, section 3.1).
    static let clearSiteData = known("Clear-Site-Data")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}
