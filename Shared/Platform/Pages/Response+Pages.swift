package import HTTPContract
package import HTTPTypes
package import Hummingbird
import NIOCore

/// The target of a redirect. It has only characters that are valid in a URL, so it can't end a header field.
package struct Location: Hashable, Sendable {
    let text: String

    /// A path of this host, with a query.
    ///
    /// - Parameter path: from a literal or a fixed list, never from a request.
    /// - Throws: ``MalformedMessage`` unless it begins with exactly one slash and has segments only.
    package init(path: String, query: URLEncodedValues = [:]) throws(MalformedMessage) {
        guard path.first == "/", !path.hasPrefix("//"), path.utf8.allSatisfy(Self.isPathByte) else {
            throw MalformedMessage()
        }
        text = query.names.isEmpty ? path : "\(path)?\(query.encoded)"
    }

    /// An address of another server, such as an identity provider's, with a query.
    ///
    /// - Parameter base: from the configuration; `https`, without query and fragment.
    /// - Throws: ``MalformedMessage`` for any other.
    package init(https base: String, query: URLEncodedValues = [:]) throws(MalformedMessage) {
        let rest = base.dropFirst("https://".count)
        guard base.hasPrefix("https://"), let first = rest.first, first != "/", rest.utf8.allSatisfy(Self.isPathByte)
        else {
            throw MalformedMessage()
        }
        text = query.names.isEmpty ? base : "\(base)?\(query.encoded)"
    }

    /// Whether a path may contain this byte: unreserved characters, slashes, and the separator of host and port.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

extension Response {
    /// 303: tells a browser to request another page with `GET`, whatever method it used.
    package static func seeOther(_ location: Location, cookies: [HostCookie] = []) -> Response {
        Response(status: .seeOther, headers: fields([.location: location.text], cookies))
    }

    /// A page. It may load styles, scripts and images from this host only, and no other page may frame it.
    ///
    /// - Parameter html: a whole document, in which all outside content is escaped.
    package static func page(
        _ html: String, status: HTTPResponse.Status = .ok, cookies: [HostCookie] = []
    ) -> Response {
        let policy =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
            + "frame-ancestors 'none'; base-uri 'none'"
        var headers = fields([.contentType: MediaType.html.text], cookies)
        headers[.contentSecurityPolicy] = policy
        headers[.referrerPolicy] = "no-referrer"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static func fields(_ own: HTTPFields, _ cookies: [HostCookie]) -> HTTPFields {
        var fields = own
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        fields[values: .setCookie] = cookies.map(\.field)
        return fields
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = known("Referrer-Policy")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}
