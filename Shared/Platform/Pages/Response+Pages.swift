package import HTTPContract
package import HTTPTypes
package import Hummingbird
import NIOCore

/// The target of a redirect or a link. It has only characters that are valid in a URL, so it can't end a header field.
package struct Location: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    /// A path of this host, as a literal.
    package init(stringLiteral path: StaticString) {
        guard let location = try? Location(path: path.description) else { preconditionFailure("not a path") }
        self = location
    }

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

/// An origin as a content security policy names it: scheme, host and port.
package struct Origin: Hashable, Sendable {
    /// Such as `https://identity.example.org`.
    package let text: String

    /// - Parameter text: `https`, a host, and optionally a port; from the configuration.
    /// - Throws: ``MalformedMessage`` for anything else.
    package init(_ text: String) throws(MalformedMessage) {
        let host = text.dropFirst("https://".count)
        guard text.hasPrefix("https://"), !host.isEmpty,
            host.utf8.allSatisfy({
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            })
        else { throw MalformedMessage() }
        self.text = text
    }
}

extension Response {
    /// 303: tells a browser to request another page with `GET`, whatever method it used.
    package static func seeOther(_ location: Location, cookies: [HostCookie] = []) -> Response {
        Response(status: .seeOther, headers: fields([.location: location.text], cookies))
    }

    /// A page, with the headers that keep it apart from other sites.
    ///
    /// It may load styles, scripts and images from this host only, no other page may frame or open it, no cache keeps it, and a
    /// script that inserts markup fails (Trusted Types). `Referrer-Policy` is `same-origin`: under `no-referrer`, browsers send
    /// a form of this host with `Origin: null`.
    ///
    /// - Parameters:
    ///   - formTargets: other origins to which an answer to a form may redirect, such as an identity provider's.
    ///   - usesCamera: whether the page may ask for the camera, for reading a code.
    package static func page(
        _ html: HTML, status: HTTPResponse.Status = .ok, cookies: [HostCookie] = [], formTargets: [Origin] = [],
        usesCamera: Bool = false
    ) -> Response {
        var headers = fields([.contentType: MediaType.html.text], cookies)
        let targets = (["'self'"] + formTargets.map(\.text)).joined(separator: " ")
        headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "form-action \(targets); base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
            + "trusted-types 'none'"
        headers[.referrerPolicy] = "same-origin"
        headers[.openerPolicy] = "same-origin"
        headers[.permissionsPolicy] =
            usesCamera ? permissionsPolicy.replacing("camera=()", with: "camera=(self)") : permissionsPolicy
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html.markup)))
    }

    /// A file, such as a style sheet. Its path contains a digest of its content, so browsers keep it for a year.
    package static func asset(_ asset: Asset) -> Response {
        var headers = fields([.contentType: asset.type.text], [])
        headers[.cacheControl] = "public, max-age=31536000, immutable"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }

    /// Data to be saved or read by a program.
    ///
    /// - Parameter name: browsers save it under this name; nil if they show it.
    package static func data(
        _ bytes: some Sequence<UInt8>, type: HTTPContract.MediaType, named name: StaticString? = nil
    )
        -> Response
    {
        var headers = fields([.contentType: type.text], [])
        if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Everything that a browser can grant a page, denied (Permissions Policy, and the features that MDN lists).
    private static let permissionsPolicy = [
        "accelerometer", "camera", "clipboard-read", "clipboard-write", "display-capture", "fullscreen", "geolocation",
        "gyroscope", "magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "screen-wake-lock",
        "usb", "web-share", "xr-spatial-tracking",
    ].map { "\($0)=()" }.joined(separator: ", ")

    private static func fields(_ own: HTTPFields, _ cookies: [HostCookie]) -> HTTPFields {
        var fields = own
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        // Two years. Other hosts of the domain aren't this service's affair.
        fields[.strictTransportSecurity] = "max-age=63072000"
        fields[.resourcePolicy] = "same-origin"
        fields[values: .setCookie] = cookies.map(\.field)
        return fields
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = known("Referrer-Policy")
    fileprivate static let openerPolicy = known("Cross-Origin-Opener-Policy")
    fileprivate static let resourcePolicy = known("Cross-Origin-Resource-Policy")
    fileprivate static let permissionsPolicy = known("Permissions-Policy")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}
