/// A request without its body (RFC 9110, section 3).
package struct HTTPRequest: Hashable, Sendable {
    /// What is asked of the target.
    package var method: Method

    /// `https` or `http`, where it is known.
    package var scheme: String?

    /// Host and port: `:authority` of HTTP/2, `Host` of HTTP/1.1.
    package var authority: String?

    /// The target's path with its query.
    package var path: String?

    /// The header fields.
    package var headerFields: HTTPFields

    /// A request with all its parts.
    package init(
        method: Method, scheme: String?, authority: String?, path: String?, headerFields: HTTPFields = [:]
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.headerFields = headerFields
    }

    /// A method: a token, compared with case (RFC 9110, section 9.1).
    package struct Method: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        package let rawValue: String

        /// A method, unless the text isn't a token.
        package init?(rawValue: String) {
            guard !rawValue.isEmpty, rawValue.utf8.allSatisfy(isTokenByte) else { return nil }
            self.rawValue = rawValue
        }

        /// A method, unless the text isn't a token.
        package init?(_ text: String) {
            self.init(rawValue: text)
        }

        private init(known: String) {
            rawValue = known
        }

        package var description: String { rawValue }

        /// RFC 9110, section 9.3.1.
        package static var get: Self { Self(known: "GET") }
        /// RFC 9110, section 9.3.2.
        package static var head: Self { Self(known: "HEAD") }
        /// RFC 9110, section 9.3.3.
        package static var post: Self { Self(known: "POST") }
        /// RFC 9110, section 9.3.4.
        package static var put: Self { Self(known: "PUT") }
        /// RFC 9110, section 9.3.5.
        package static var delete: Self { Self(known: "DELETE") }
        /// RFC 9110, section 9.3.6.
        package static var connect: Self { Self(known: "CONNECT") }
        /// RFC 9110, section 9.3.7.
        package static var options: Self { Self(known: "OPTIONS") }
        /// RFC 9110, section 9.3.8.
        package static var trace: Self { Self(known: "TRACE") }
        /// RFC 5789.
        package static var patch: Self { Self(known: "PATCH") }
    }
}
