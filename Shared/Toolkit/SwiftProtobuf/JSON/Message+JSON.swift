extension Message {
    /// Decodes a message from protobuf JSON (https://protobuf.dev/programming-guides/json/).
    ///
    /// Fields may have the schema's names or those of JSON. A field that the message doesn't have is an error. Of a field that is
    /// there twice, the last value counts.
    /// - Throws: ``JSONDecodingError``
    package init(jsonUTF8Bytes text: [UInt8]) throws {
        self.init()
        var scanner = JSONScanner(text)
        try JSONReader.read(&self, from: &scanner)
        guard scanner.next() == nil else { throw JSONDecodingError.malformed }
    }

    /// The message in protobuf JSON. Unknown fields are left out.
    package func jsonUTF8Bytes() throws -> [UInt8] { Array(try JSONWriter.object(self).utf8) }
}
