package import FoundationEssentials

/// The only way in which the suite reads JSON: Foundation's decoder, behind a strict reading of the text.
///
/// The decoder takes the first of two members with one name. Readers in Python, Go, JavaScript and Java take the last, so that one
/// text would say two things (RFC 8259, section 4). Tokens and keys must have no name twice (RFC 7515, section 4; RFC 7517,
/// section 4; RFC 7519, section 4). The decoder also takes other encodings than UTF-8, and a comma that nothing follows.
package enum StrictJSON {
    /// The text isn't exactly one text of JSON, or an object has a name twice.
    package struct Malformed: Error {}

    /// Reads a value.
    /// - Parameter dates: how dates are written.
    /// - Throws: ``Malformed``, or an error of Foundation's decoder or of the type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from json: Data, dates: JSONDecoder.DateDecodingStrategy = .deferredToDate
    ) throws -> Value {
        guard json.withUnsafeBytes({ $0.withMemoryRebound(to: UInt8.self, holds) }) else { throw Malformed() }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dates
        return try decoder.decode(type, from: json)
    }

    /// Whether bytes are exactly one text of JSON (RFC 8259) in UTF-8, in which no object has a name twice.
    package static func holds(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer(holds) }

    private static func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        do { _ = try UTF8Span(validating: bytes.span) } catch { return false }
        var reader = StrictJSONReader(bytes)
        return reader.value(depth: StrictJSONReader.deepest) && reader.isAtEnd
    }
}
