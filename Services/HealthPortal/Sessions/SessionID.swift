import Credentials
import HTTPContract
import Pages
import Serving

/// The identifier of a session: 32 random bytes, which only the officer's browser has.
struct SessionID: Hashable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    static let cookie: HostCookie.StaticName = "session"

    /// A new identifier. No browser can propose one.
    init() {
        bytes = .random()
    }

    /// The identifier that a browser sends; nil if it sends none, or none of ours.
    ///
    /// - Throws: if it sends two.
    init?(of request: Request) throws(MalformedMessage) {
        guard let text = try request.cookie(Self.cookie), let bytes = [UInt8](hex: text), bytes.count == 32 else {
            return nil
        }
        self.bytes = bytes
    }

    /// The key of the session's row. It doesn't lead back to the identifier.
    var digest: Digest { Digest(sha256: bytes) }

    var text: String { bytes.hex }

    var description: String { "redacted" }
}
