/// An error code of HTTP/2 (RFC 9113, section 7).
package struct HTTP2Code: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    package let rawValue: UInt32

    /// A code, also one that the RFC doesn't name.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The connection or stream ends as it should.
    package static let noError = Self(rawValue: 0)
    /// The peer broke the protocol.
    package static let protocolError = Self(rawValue: 1)
    /// This side failed.
    package static let internalError = Self(rawValue: 2)
    /// The peer sent more than its window allows.
    package static let flowControlError = Self(rawValue: 3)
    /// The peer didn't acknowledge SETTINGS in time.
    package static let settingsTimeout = Self(rawValue: 4)
    /// A frame came for a stream that has ended.
    package static let streamClosed = Self(rawValue: 5)
    /// A frame has an impossible length.
    package static let frameSizeError = Self(rawValue: 6)
    /// Nothing of the request was looked at, so it may be sent again.
    package static let refusedStream = Self(rawValue: 7)
    /// The stream isn't wanted any more.
    package static let cancel = Self(rawValue: 8)
    /// The state of the header compression is lost.
    package static let compressionError = Self(rawValue: 9)
    /// The peer causes too much work.
    package static let enhanceYourCalm = Self(rawValue: 11)
}

/// A connection that can't go on. Drain the session once more, for its GOAWAY, and close the connection.
package struct HTTP2Failure: Error {
    /// What GOAWAY tells the peer.
    package let code: HTTP2Code
    /// What is wrong, without anything of the messages.
    package let reason: String

    init(_ code: HTTP2Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
