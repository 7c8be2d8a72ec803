import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import ServiceKit

/// Answers GET and HEAD from the published tree, with conditional requests.
struct ServeTree: Sendable {
    let tree: PublishedDirectory

    func respond(_ exchange: Exchange) async throws -> Response {
        guard exchange.request.method == .get || exchange.request.method == .head else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        guard let key = TreeKey(requested: exchange.path), let object = try await load(key) else {
            return Response(status: .notFound)
        }
        var fields: HTTPFields = [
            .contentType: key.contentType, .cacheControl: key.cacheControl, .eTag: object.entityTag,
        ]
        let known = exchange.request.headers[.ifNoneMatch].map { $0.split(separator: ",") } ?? []
        if known.contains(where: { tag in
            let tag = tag.trimming(while: { $0 == " " })
            return tag == "*" || tag == object.entityTag || tag == "W/" + object.entityTag
        }) {
            return Response(status: .notModified, headers: fields)
        }
        guard exchange.request.method == .get else {
            fields[.contentLength] = String(object.content.readableBytes)
            return Response(status: .ok, headers: fields)
        }
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: object.content))
    }

    private struct Object: Sendable {
        let content: ByteBuffer
        /// Of the file's time and size, as nginx makes it; the time is a function of the content (``PublishedDirectory``).
        let entityTag: String
    }

    /// Reads on a thread that may block.
    private func load(_ key: TreeKey) async throws -> Object? {
        let url = tree.url(key)
        return try await NIOThreadPool.singleton.runIfActive {
            var status = stat()
            guard stat(url.path, &status) == 0, let content = try? Data(contentsOf: url) else { return nil }
            let (time, size) = (String(status.st_mtim.tv_sec, radix: 16), String(content.count, radix: 16))
            return Object(content: ByteBuffer(bytes: content), entityTag: "\"\(time)-\(size)\"")
        }
    }
}

extension Substring {
    fileprivate func trimming(while predicate: (Character) -> Bool) -> Substring {
        var trimmed = drop(while: predicate)
        while let last = trimmed.last, predicate(last) { trimmed.removeLast() }
        return trimmed
    }
}
