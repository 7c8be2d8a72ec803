package import HTTPContract
package import HTTPTypes
package import Serving

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
        return Response(status: status, headers: headers, body: html.bytes)
    }

    /// A file, such as a style sheet. Its path contains a digest of its content, so browsers keep it for a year.
    package static func asset(_ asset: Asset) -> Response {
        var headers = fields([.contentType: asset.type.text], [])
        headers[.cacheControl] = "public, max-age=31536000, immutable"
        return Response(status: .ok, headers: headers, body: ResponseBody(sharing: asset.bytes[...]))
    }

    /// Data to be saved or read by a program.
    ///
    /// - Parameter name: browsers save it under this name; nil if they show it.
    package static func data(
        _ bytes: some Sequence<UInt8>, type: MediaType, named name: StaticString? = nil
    ) -> Response {
        var headers = fields([.contentType: type.text], [])
        if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: Array(bytes))
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
}
