/// What the `Connection` lines of a message ask for: lists of options, over any number of lines (RFC 9110, section
/// 7.6.1).
package struct ConnectionOptions: Sendable {
    private var asksToClose = false
    private var asksToKeepAlive = false
    /// Whether an option is the name of a field that tells where the body ends. No sender may name it (RFC 9110, section
    /// 7.6.1), since who removes the named fields first finds another end.
    package private(set) var namesFraming = false

    /// Nothing is asked.
    package init() {}

    /// Takes up the members of one line's list; those without meaning here are ignored.
    package mutating func add(_ value: Span<UInt8>) {
        var start = 0
        while start <= value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ",") { end += 1 }
            let option = value.extracting(value.trimmed(start..<end))
            if option.isSame(as: "close") { asksToClose = true }
            if option.isSame(as: "keep-alive") { asksToKeepAlive = true }
            if option.isSame(as: "content-length") || option.isSame(as: "transfer-encoding") { namesFraming = true }
            start = end + 1
        }
    }

    /// Whether the connection stays open behind the message: `close` wins wherever it stands, and HTTP/1.0 has to be
    /// asked (RFC 9112, section 9.3).
    package func keepsAlive(_ version: HTTPVersion) -> Bool {
        !asksToClose && (version != .http1_0 || asksToKeepAlive)
    }
}
