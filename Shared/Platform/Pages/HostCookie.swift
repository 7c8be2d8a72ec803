package import HTTPContract
import HTTPTypes
package import Serving

/// A cookie for this host only, over TLS only, that scripts can't read (`__Host-`, RFC 6265bis, section 4.1.3).
package struct HostCookie: Hashable, Sendable {
    /// The name without the prefix.
    package let name: StaticName
    /// The value as sent: visible ASCII without quotes, commas, semicolons and backslashes.
    package let value: String
    /// Seconds until browsers delete it; nil for the browser's session.
    package let maxAge: Int?

    /// The name of a cookie, as a literal.
    package struct StaticName: Hashable, Sendable, ExpressibleByStringLiteral {
        let text: String

        /// - Parameter value: a token (RFC 9110, section 5.6.2).
        package init(stringLiteral value: StaticString) {
            text = "__Host-\(value.description)"
            precondition(HTTPField.Name(text) != nil, "not the name of a cookie")
        }
    }

    /// - Throws: ``MalformedMessage`` for a value that a cookie can't have.
    package init(_ name: StaticName, _ value: String, maxAge: Int? = nil) throws(MalformedMessage) {
        guard value.utf8.allSatisfy(Self.isOctet) else { throw MalformedMessage() }
        self.init(name: name, value: value, maxAge: maxAge)
    }

    private init(name: StaticName, value: String, maxAge: Int?) {
        self.name = name
        self.value = value
        self.maxAge = maxAge
    }

    /// Deletes a cookie.
    package static func removed(_ name: StaticName) -> HostCookie {
        HostCookie(name: name, value: "", maxAge: 0)
    }

    /// The value of `Set-Cookie`. `Lax`, so that browsers send the cookie when another site's sign-in page leads back here.
    var field: String {
        "\(name.text)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax" + (maxAge.map { "; Max-Age=\($0)" } ?? "")
    }

    /// Whether a value may contain this byte (RFC 6265, section 4.1.1).
    static func isOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

extension Request {
    /// The value of a cookie; nil if it is missing.
    ///
    /// - Throws: ``MalformedMessage`` if the name occurs twice, for example because another host of the domain planted one, or
    ///   if the value is invalid.
    package func cookie(_ name: HostCookie.StaticName) throws(MalformedMessage) -> String? {
        var found: String?
        // HTTP/2 may split the field (RFC 9113, section 8.2.3).
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let text = pair.drop { $0 == " " }
                guard text.hasPrefix("\(name.text)=") else { continue }
                let value = String(text.dropFirst(name.text.utf8.count + 1))
                guard found == nil, value.utf8.allSatisfy(HostCookie.isOctet) else { throw MalformedMessage() }
                found = value
            }
        }
        return found
    }
}
