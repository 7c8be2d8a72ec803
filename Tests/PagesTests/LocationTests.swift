import HTTPContract
import HTTPTypes
import Pages
import Serving
import Testing

@Suite struct LocationTests {
    private func text(_ location: Location) -> String? {
        Response.seeOther(location).headers[.location]
    }

    @Test("a redirect leads to a path of this host, or to an https address, with an encoded query")
    func good() throws {
        #expect(text(try Location(path: "/codes/current")) == "/codes/current")
        let query: URLEncodedValues = ["state": "a b&c", "scope": "openid"]
        #expect(
            text(try Location(https: "https://id.example:8443/auth", query: query))
                == "https://id.example:8443/auth?scope=openid&state=a%20b%26c")
    }

    @Test(
        "a path that leads elsewhere or ends the header field is none",
        arguments: [
            "", "codes", "//evil.example", "/\\evil.example", "/a\r\nSet-Cookie: a=b", "/a?b", "/a#b", "/%0d%0a", "/ä",
            "https://evil.example", "javascript:alert(1)",
        ])
    func paths(path: String) {
        #expect(throws: MalformedMessage()) { try Location(path: path) }
    }

    @Test(
        "an address that isn't https, or that hides its host, is none",
        arguments: [
            "", "http://id.example", "https://", "https:///auth", "https://id.example@evil.example/", "/auth",
            "https://id.example/a\r\nb", "https://id.example/?a=b", "javascript:alert(1)",
        ])
    func addresses(base: String) {
        #expect(throws: MalformedMessage()) { try Location(https: base) }
    }

    @Test(
        "a cookie's value holds visible ASCII only",
        arguments: ["a b", "a;b", "a,b", "a\"", "a\\", "a\r\nb", "ä", "\u{7F}"])
    func cookies(value: String) {
        #expect(throws: MalformedMessage()) { try HostCookie("session", value) }
    }

    @Test("a cookie can be limited in time, and taken back")
    func lifetime() throws {
        let set = Response.seeOther(
            try Location(path: "/"), cookies: [try HostCookie("login", "x", maxAge: 600), .removed("session")])
        #expect(
            set.headers[values: .setCookie] == [
                "__Host-login=x; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600",
                "__Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
            ])
    }
}
