import HTTPContract
import HTTPTypes
import NIOCore
import NIOHTTP1

/// A service's complete reply.
struct UpstreamReply {
    let head: HTTPResponseHead
    let body: ByteBuffer

    /// Whether the service refuses the request.
    var isRefusal: Bool { (400..<500).contains(head.status.code) }

    /// Whether the body is exactly this text.
    func hasBody(_ text: String) -> Bool { body.readableBytesView.elementsEqual(text.utf8) }

    /// Whether the verification server reports guessed teleTANs; nil if it reports nothing. It tells only the proxy.
    var isStrained: Bool? {
        head.headers.first(name: HTTPField.Name.teleTANsStrained.canonicalName).map { $0 == "1" }
    }
}
