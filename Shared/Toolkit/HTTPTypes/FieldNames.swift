/// Registered names (RFC 9110, 9111, 6265, 6797, and the Fetch standard), spelt as their registrations spell them.
extension HTTPField.Name {
    /// `Accept` (RFC 9110, section 12.5.1).
    package static var accept: Self { Self(raw: "Accept", canonical: "accept") }
    /// `Accept-Encoding` (RFC 9110, section 12.5.3).
    package static var acceptEncoding: Self { Self(raw: "Accept-Encoding", canonical: "accept-encoding") }
    /// `Accept-Language` (RFC 9110, section 12.5.4).
    package static var acceptLanguage: Self { Self(raw: "Accept-Language", canonical: "accept-language") }
    /// `Accept-Ranges` (RFC 9110, section 14.3).
    package static var acceptRanges: Self { Self(raw: "Accept-Ranges", canonical: "accept-ranges") }
    /// `Allow` (RFC 9110, section 10.2.1).
    package static var allow: Self { Self(raw: "Allow", canonical: "allow") }
    /// `Authorization` (RFC 9110, section 11.6.2).
    package static var authorization: Self { Self(raw: "Authorization", canonical: "authorization") }
    /// `Cache-Control` (RFC 9111, section 5.2).
    package static var cacheControl: Self { Self(raw: "Cache-Control", canonical: "cache-control") }
    /// `Connection` (RFC 9110, section 7.6.1).
    package static var connection: Self { Self(raw: "Connection", canonical: "connection") }
    /// `Content-Disposition` (RFC 6266).
    package static var contentDisposition: Self { Self(raw: "Content-Disposition", canonical: "content-disposition") }
    /// `Content-Encoding` (RFC 9110, section 8.4).
    package static var contentEncoding: Self { Self(raw: "Content-Encoding", canonical: "content-encoding") }
    /// `Content-Language` (RFC 9110, section 8.5).
    package static var contentLanguage: Self { Self(raw: "Content-Language", canonical: "content-language") }
    /// `Content-Length` (RFC 9110, section 8.6).
    package static var contentLength: Self { Self(raw: "Content-Length", canonical: "content-length") }
    /// `Content-Location` (RFC 9110, section 8.7).
    package static var contentLocation: Self { Self(raw: "Content-Location", canonical: "content-location") }
    /// `Content-Range` (RFC 9110, section 14.4).
    package static var contentRange: Self { Self(raw: "Content-Range", canonical: "content-range") }
    /// `Content-Security-Policy` (Content Security Policy Level 3, section 3.1).
    package static var contentSecurityPolicy: Self {
        Self(raw: "Content-Security-Policy", canonical: "content-security-policy")
    }
    /// `Content-Type` (RFC 9110, section 8.3).
    package static var contentType: Self { Self(raw: "Content-Type", canonical: "content-type") }
    /// `Cookie` (RFC 6265, section 4.2).
    package static var cookie: Self { Self(raw: "Cookie", canonical: "cookie") }
    /// `Date` (RFC 9110, section 6.6.1).
    package static var date: Self { Self(raw: "Date", canonical: "date") }
    /// `ETag` (RFC 9110, section 8.8.3).
    package static var eTag: Self { Self(raw: "ETag", canonical: "etag") }
    /// `Expect` (RFC 9110, section 10.1.1).
    package static var expect: Self { Self(raw: "Expect", canonical: "expect") }
    /// `Expires` (RFC 9111, section 5.3).
    package static var expires: Self { Self(raw: "Expires", canonical: "expires") }
    /// `From` (RFC 9110, section 10.1.2).
    package static var from: Self { Self(raw: "From", canonical: "from") }
    /// `Host` (RFC 9110, section 7.2).
    package static var host: Self { Self(raw: "Host", canonical: "host") }
    /// `If-Match` (RFC 9110, section 13.1.1).
    package static var ifMatch: Self { Self(raw: "If-Match", canonical: "if-match") }
    /// `If-Modified-Since` (RFC 9110, section 13.1.3).
    package static var ifModifiedSince: Self { Self(raw: "If-Modified-Since", canonical: "if-modified-since") }
    /// `If-None-Match` (RFC 9110, section 13.1.2).
    package static var ifNoneMatch: Self { Self(raw: "If-None-Match", canonical: "if-none-match") }
    /// `If-Range` (RFC 9110, section 13.1.5).
    package static var ifRange: Self { Self(raw: "If-Range", canonical: "if-range") }
    /// `If-Unmodified-Since` (RFC 9110, section 13.1.4).
    package static var ifUnmodifiedSince: Self { Self(raw: "If-Unmodified-Since", canonical: "if-unmodified-since") }
    /// `Last-Modified` (RFC 9110, section 8.8.2).
    package static var lastModified: Self { Self(raw: "Last-Modified", canonical: "last-modified") }
    /// `Location` (RFC 9110, section 10.2.2).
    package static var location: Self { Self(raw: "Location", canonical: "location") }
    /// `Origin` (RFC 6454, section 7).
    package static var origin: Self { Self(raw: "Origin", canonical: "origin") }
    /// `Range` (RFC 9110, section 14.2).
    package static var range: Self { Self(raw: "Range", canonical: "range") }
    /// `Referer` (RFC 9110, section 10.1.3).
    package static var referer: Self { Self(raw: "Referer", canonical: "referer") }
    /// `Retry-After` (RFC 9110, section 10.2.3).
    package static var retryAfter: Self { Self(raw: "Retry-After", canonical: "retry-after") }
    /// `Server` (RFC 9110, section 10.2.4).
    package static var server: Self { Self(raw: "Server", canonical: "server") }
    /// `Set-Cookie` (RFC 6265, section 4.1).
    package static var setCookie: Self { Self(raw: "Set-Cookie", canonical: "set-cookie") }
    /// `Strict-Transport-Security` (RFC 6797, section 6.1).
    package static var strictTransportSecurity: Self {
        Self(raw: "Strict-Transport-Security", canonical: "strict-transport-security")
    }
    /// `TE` (RFC 9110, section 10.1.4).
    package static var te: Self { Self(raw: "TE", canonical: "te") }
    /// `Trailer` (RFC 9110, section 6.6.2).
    package static var trailer: Self { Self(raw: "Trailer", canonical: "trailer") }
    /// `Transfer-Encoding` (RFC 9112, section 6.1).
    package static var transferEncoding: Self { Self(raw: "Transfer-Encoding", canonical: "transfer-encoding") }
    /// `Upgrade` (RFC 9110, section 7.8).
    package static var upgrade: Self { Self(raw: "Upgrade", canonical: "upgrade") }
    /// `User-Agent` (RFC 9110, section 10.1.5).
    package static var userAgent: Self { Self(raw: "User-Agent", canonical: "user-agent") }
    /// `Vary` (RFC 9110, section 12.5.5).
    package static var vary: Self { Self(raw: "Vary", canonical: "vary") }
    /// `Via` (RFC 9110, section 7.6.3).
    package static var via: Self { Self(raw: "Via", canonical: "via") }
    /// `WWW-Authenticate` (RFC 9110, section 11.6.1).
    package static var wwwAuthenticate: Self { Self(raw: "WWW-Authenticate", canonical: "www-authenticate") }
    /// `X-Content-Type-Options` (Fetch standard, section 3.6).
    package static var xContentTypeOptions: Self {
        Self(raw: "X-Content-Type-Options", canonical: "x-content-type-options")
    }
}
