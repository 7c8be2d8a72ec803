import HTTPContract
import HTTPTypes
import NIOCore
import NIOHTTP1

/// What a service has replied, complete.
struct UpstreamReply {
    let head: HTTPResponseHead
    let body: ByteBuffer

    /// Whether the service refuses the request.
    var isRefusal: Bool { (400..<500).contains(head.status.code) }

    /// What the verification server says about guessed teleTANs, to the proxy alone; nil if it says nothing.
    var isStrained: Bool? {
        head.headers.first(name: HTTPField.Name.teleTANsStrained.canonicalName).map { $0 == "1" }
    }
}
