package import NIOHTTP1

extension NIOHTTPDecoderLimitConfiguration {
    /// The limits for requests over HTTP/1.1 at every listener: 100 fields, and this many bytes for all of them.
    package init(headerBytes: Int) {
        self.init()
        maxHeaderFieldSize = headerBytes
        maxHeaderListSize = headerBytes
        maxHeaderFieldCount = 100
    }
}
