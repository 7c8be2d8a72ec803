import Crypto
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import ServiceKit

/// Answers GET and HEAD from the published tree, with conditional requests.
struct ServeTree: Sendable {
    let tree: PublishedTree

    func respond(_ exchange: Exchange) async throws -> Response {
        guard exchange.request.method == .get || exchange.request.method == .head else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        let path = String(exchange.path)
        guard let object = try await load(path) else { return Response(status: .notFound) }
        var fields: HTTPFields = [
            .contentType: object.isArchive ? "application/zip" : "application/json",
            .cacheControl: object.isArchive ? "public, max-age=86400, immutable" : "public, max-age=300",
            .eTag: object.entityTag,
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
        /// A function of the content, so it is the same on every machine that serves the tree.
        let entityTag: String
        /// An archive rather than an index.
        let isArchive: Bool
    }

    /// Reads on a thread that may block.
    private func load(_ path: String) async throws -> Object? {
        let tree = tree
        return try await NIOThreadPool.singleton.runIfActive {
            guard let url = tree.object(at: path), let content = try? Data(contentsOf: url) else { return nil }
            let digest = SHA256.hash(data: content).prefix(16)
            return Object(
                content: ByteBuffer(bytes: content),
                entityTag: "\"\(digest.map { String(format: "%02x", $0) }.joined())\"",
                isArchive: content.starts(with: Array("PK".utf8)))
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
