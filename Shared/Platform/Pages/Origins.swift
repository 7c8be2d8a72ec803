package import HTTPContract
import HTTPTypes
package import Running
package import Serving

/// An origin as a content security policy names it: scheme, host and port.
package struct Origin: Hashable, Sendable {
    /// Such as `https://identity.example.org`.
    package let text: String
    /// The same without the scheme, as `Host` names it.
    var authority: String { String(text.dropFirst("https://".count)) }

    /// - Parameter text: `https`, a host in lower case, and optionally a port; from the configuration.
    /// - Throws: ``MalformedMessage`` for anything else.
    package init(_ text: String) throws(MalformedMessage) {
        self.text = text
        guard text.hasPrefix("https://"), !authority.isEmpty, authority.utf8.allSatisfy(Self.isAuthorityByte) else {
            throw MalformedMessage()
        }
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

/// The addresses under which browsers reach a service's pages.
///
/// What a proxy adds (`X-Forwarded-Host`) is ignored, because anybody can send it.
package struct Origins: Sendable {
    /// By host, or host and port, as `Host` names it.
    private let byAuthority: [String: Origin]

    /// - Parameter origins: each once.
    init(_ origins: [Origin]) {
        byAuthority = Dictionary(origins.map { ($0.authority, $0) }) { first, _ in first }
    }

    /// From `origins`: `https`, host and port unless it is 443; separated by commas.
    package init(_ settings: Settings) throws(ConfigurationProblem) {
        guard let origins = try? settings.list("origins").map({ try Origin($0) }) else {
            throw settings.wrong("origins", "must be addresses such as https://codes.example.org, without a path")
        }
        guard !origins.isEmpty else { throw settings.missing("origins") }
        self.init(origins)
    }

    /// The origin that a request is for; nil if it is none of ours.
    package func origin(of exchange: Exchange) -> Origin? {
        exchange.authority.flatMap { byAuthority[$0.lowercased()] }
    }

    /// Whether a page of ours sent a request that changes something, and whether a request is for us at all.
    ///
    /// Other sites can send forms here, but browsers say so. One that doesn't know `Sec-Fetch-Site` (Fetch Metadata, section
    /// 2.4) sends `Origin` with every form (Fetch, section 3.2); without both it is no browser that somebody should use.
    ///
    /// - Throws: ``OtherHost``, ``Problem/forbidden`` for another site's form.
    func check(_ exchange: Exchange) throws {
        guard let origin = origin(of: exchange) else { throw OtherHost() }
        let request = exchange.request
        guard request.method != .get else { return }
        let isOwn =
            request.headers[.secFetchSite].map { $0 == "same-origin" } ?? (request.headers[.origin] == origin.text)
        if !isOwn { throw Problem.forbidden }
    }
}

/// A request for a host that `origins` doesn't have, most likely because the operator hasn't set the address that browsers use.
package struct OtherHost: ProblemConvertible {
    package var problem: Problem { .badRequest }
}

extension HTTPField.Name {
    /// How a request came about.
    fileprivate static let secFetchSite = known("Sec-Fetch-Site")
}
