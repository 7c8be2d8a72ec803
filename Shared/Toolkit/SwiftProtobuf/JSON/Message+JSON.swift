extension Message {
    /// Decodes a message from protobuf JSON (https://protobuf.dev/programming-guides/json/).
    ///
    /// Fields may have the schema's names or those of JSON. A field that the message doesn't have is an error. Of a field that is
    /// there twice, the last value counts.
    /// - Throws: ``JSONDecodingError``
    package init(jsonUTF8Bytes text: [UInt8]) throws {
        self.init()
        var reader = JSONReader(JSONScanner(text))
        try withFields { try reader.object(into: $0, Self.fields) }
        guard reader.scanner.next() == nil else { throw JSONDecodingError.malformed }
    }

    /// The message in protobuf JSON. Unknown fields are left out.
    package func jsonUTF8Bytes() throws -> [UInt8] {
        var writer = JSONWriter()
        try withFields(reading: { try writer.object($0, Self.fields) })
        return Array(writer.text.utf8)
    }
}
