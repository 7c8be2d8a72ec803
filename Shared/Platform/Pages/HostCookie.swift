package import HTTPContract
import HTTPTypes
package import Hummingbird

/// A cookie for this host alone, over TLS alone, that scripts can't read (`__Host-`, RFC 6265bis, section 4.1.3).
package struct HostCookie: Hashable, Sendable {
    /// Without the prefix.
    package let name: StaticName
    /// As it is sent: visible ASCII without quotes, commas, semicolons and backslashes.
    package let value: String
    /// Seconds until browsers forget it; nil for a browser's session.
    package let maxAge: Int?

    /// The name of a cookie, from the program's text.
    package struct StaticName: Hashable, Sendable, ExpressibleByStringLiteral {
        let text: String

        /// - Parameter value: a token (RFC 9110, section 5.6.2).
        package init(stringLiteral value: StaticString) {
            text = "__Host-\(value.description)"
            precondition(HTTPField.Name(text) != nil, "not the name of a cookie")
        }
    }

    /// - Throws: ``MalformedMessage`` for a value that no cookie may have.
    package init(_ name: StaticName, _ value: String, maxAge: Int? = nil) throws(MalformedMessage) {
        guard value.utf8.allSatisfy(Self.isOctet) else { throw MalformedMessage() }
        self.init(name: name, value: value, maxAge: maxAge)
    }

    private init(name: StaticName, value: String, maxAge: Int?) {
        self.name = name
        self.value = value
        self.maxAge = maxAge
    }

    /// Takes a cookie back.
    package static func removed(_ name: StaticName) -> HostCookie {
        HostCookie(name: name, value: "", maxAge: 0)
    }

    /// As `Set-Cookie` says it. `Lax`, so that it comes along when another site's sign-in page leads back here.
    var field: String {
        "\(name.text)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax" + (maxAge.map { "; Max-Age=\($0)" } ?? "")
    }

    /// What may stand in a value (RFC 6265, section 4.1.1).
    static func isOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

extension Request {
    /// The value of a cookie; nil if it isn't there.
    ///
    /// - Throws: ``MalformedMessage`` if the name stands there twice, as when another host of the domain has planted one, or if
    ///   the value is none.
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
