/// Where a server is: the scheme, host and port of a URL, and the path below which everything lies.
package struct Origin: Hashable, Sendable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// A name or an IP address, without brackets.
    package let host: String
    /// The port, also where the URL leaves it out.
    package let port: Int
    /// The value of `Host`: the port is left out where the URL leaves it out.
    package let authority: String
    /// The path before each target; empty for none. It doesn't end with a slash.
    package let path: String

    /// Reads a URL such as `https://localhost:8010` or `https://gateway.example/api/`.
    ///
    /// - Returns: nil unless the scheme is `http` or `https`, with a host, perhaps a port and a path, and nothing else.
    package init?(_ url: String) {
        let rest: Substring
        if url.hasPrefix("https://") {
            isSecure = true
            rest = url.dropFirst(8)
        } else if url.hasPrefix("http://") {
            isSecure = false
            rest = url.dropFirst(7)
        } else {
            return nil
        }
        guard !rest.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "?#@".utf8.contains($0) }) else { return nil }
        let authority = rest.prefix { $0 != "/" }
        var path = rest[authority.endIndex...]
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
        self.authority = String(authority)

        let name: Substring
        var tail: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            name = authority[..<end].dropFirst()
            tail = authority[end...].dropFirst()
        } else {
            name = authority.prefix { $0 != ":" }
            tail = authority[name.endIndex...]
        }
        guard !name.isEmpty else { return nil }
        host = String(name)
        guard !tail.isEmpty else {
            port = isSecure ? 443 : 80
            return
        }
        guard tail.removeFirst() == ":", let number = UInt16(tail), number > 0, tail.utf8.allSatisfy({ $0 != 0x2B })
        else { return nil }
        port = Int(number)
    }
}
