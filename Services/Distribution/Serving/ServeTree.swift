import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceKit

/// Answers GET and HEAD from the published tree, whole or a range of bytes, and not again to whom has it already
/// (RFC 9110, 13 and 14).
struct ServeTree: Sendable {
    let files: ServedFiles

    func respond(_ exchange: Exchange) async throws -> Response {
        let request = exchange.request
        guard request.method == .get || request.method == .head else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        guard let key = TreeKey(requested: exchange.path), let file = try await files.file(key) else {
            return Response(status: .notFound)
        }
        var fields: HTTPFields = [
            .contentType: key.contentType, .cacheControl: key.cacheControl, .eTag: file.entityTag,
            .acceptRanges: "bytes",
        ]
        if let known = request.headers[.ifNoneMatch], Self.names(known, file.entityTag) {
            return Response(status: .notModified, headers: fields)
        }
        let size = file.content.readableBytes
        var sent = 0..<size
        var status = HTTPResponse.Status.ok
        // A range of what has changed since is of no use to anybody: then all of it is sent.
        let isUnchanged = request.headers[.ifRange].map { $0 == file.entityTag } ?? true
        if request.method == .get, isUnchanged, let wanted = request.headers[.range].flatMap(WantedRange.init) {
            guard let range = wanted.range(in: size) else {
                fields[.contentRange] = "bytes */\(size)"
                return Response(status: .rangeNotSatisfiable, headers: fields)
            }
            status = .partialContent
            sent = range
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        }
        guard request.method == .get else {
            fields[.contentLength] = String(size)
            return Response(status: status, headers: fields)
        }
        let start = file.content.readerIndex + sent.lowerBound
        let body = file.content.getSlice(at: start, length: sent.count) ?? ByteBuffer()
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
    }

    /// Whether a list of entity tags, some of them weak, has one; `*` stands for any.
    private static func names(_ list: String, _ entityTag: String) -> Bool {
        list == entityTag
            || list.split(separator: ",").contains { tag in
                let tag = tag.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed()
                return tag.elementsEqual("*") || tag.elementsEqual(entityTag) || tag.elementsEqual("W/" + entityTag)
            }
    }
}

/// One range of bytes as a request's field `Range` names it.
enum WantedRange: Equatable {
    /// From one byte, up to and including another or the end.
    case from(Int, through: Int?)
    /// As many as these at the end.
    case last(Int)

    /// Nil for several ranges, other units and everything malformed, which a server may ignore (RFC 9110, 14.2).
    init?(_ field: String) {
        guard field.hasPrefix("bytes=") else { return nil }
        let bounds = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return nil
        }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where bounds[1].isEmpty: self = .from(first, through: nil)
        case (nil, let count?) where bounds[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// The bytes of a file that are meant; nil when it has none of them.
    func range(in size: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            first < size ? first..<min(size - 1, last ?? size - 1) + 1 : nil
        case .last(let count):
            count > 0 && size > 0 ? max(0, size - count)..<size : nil
        }
    }
}
