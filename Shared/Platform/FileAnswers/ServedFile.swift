package import HTTPMessage
package import HTTPTypes
package import PublishedTree

/// A file with what every answer about it says.
package struct ServedFile: Sendable {
    /// What a caller gets who asks for all of it.
    package let content: [UInt8]
    /// Of this version of the file.
    package let entityTag: EntityTag
    /// The header fields of every answer about the file.
    package let fields: FieldLines

    /// An object of a published tree; nil if it is damaged.
    ///
    /// - Parameters:
    ///   - bytes: what the object's file holds.
    ///   - more: fields that the object's key doesn't tell.
    package init?(_ bytes: [UInt8], entityTag: EntityTag, key: TreeKey, more: HTTPFields = [:]) {
        self.entityTag = entityTag
        var fields = FieldLines([
            .contentType: key.contentType, .cacheControl: key.cacheControl, .eTag: entityTag.text,
            .acceptRanges: "bytes",
        ])
        for field in more { fields.append(field.name, field.value) }
        if key.kind == .answer {
            guard let answer = PublishedAnswer(bytes) else { return nil }
            content = answer.body
            for field in answer.fields {
                guard let name = HTTPField.Name(field.name) else { return nil }
                fields.append(name, field.value)
            }
            fields.append(.vary, "accept")
        } else {
            content = bytes
        }
        self.fields = fields
    }
}
