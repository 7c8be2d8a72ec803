package import HTTPMessage
package import HTTPTypes

/// What a request for a file is answered with: the file, a range of its bytes, or that the caller's copy is current (RFC
/// 9110, sections 13 and 14).
package struct FileAnswer: Sendable {
    /// 200, 206, 304, 404, 405, 412 or 416.
    package let status: HTTPResponse.Status
    /// Without framing and date.
    package let fields: FieldLines
    /// What GET gets; HEAD gets its length alone.
    package let body: ArraySlice<UInt8>

    /// Decides on an answer.
    ///
    /// - Parameter file: what the request's target names; nil if nothing.
    package init(to request: RequestHead, file: @autoclosure () -> ServedFile?) {
        guard request.method == .get || request.method == .head else {
            self.init(.methodNotAllowed, [.allow: "GET, HEAD"])
            return
        }
        guard let file = file() else {
            self.init(.notFound)
            return
        }
        if request.fields.values(.ifNoneMatch).contains(where: file.entityTag.isIn) {
            self.init(.notModified, file.fields)
            return
        }
        // If the file has changed, the whole file is sent.
        let isUnchanged = request.fields.first(.ifRange).map { $0 == file.entityTag.text } ?? true
        guard request.method == .get, isUnchanged,
            let requested = request.fields.only(.range).flatMap({ ByteRange($0) })
        else {
            self.init(.ok, file.fields, file.content[...])
            return
        }
        let size = file.content.count
        var fields = file.fields
        guard let range = requested.range(in: size) else {
            fields.append(.contentRange, "bytes */\(size)")
            self.init(.rangeNotSatisfiable, fields)
            return
        }
        fields.append(.contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
        self.init(.partialContent, fields, file.content[range])
    }

    private init(
        _ status: HTTPResponse.Status, _ fields: FieldLines = FieldLines(), _ body: ArraySlice<UInt8> = []
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    private init(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        self.init(status, FieldLines(fields))
    }
}
