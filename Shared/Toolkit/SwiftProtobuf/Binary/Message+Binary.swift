package import FoundationEssentials

/// What a message's bytes are held in.
package protocol SwiftProtobufContiguousBytes {
    /// From an array.
    init(_ bytes: [UInt8])
    /// Calls a closure with the bytes.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension [UInt8]: SwiftProtobufContiguousBytes {}
extension Data: SwiftProtobufContiguousBytes {}

/// How bytes are decoded.
package struct BinaryDecodingOptions: Sendable {
    /// How many messages may be within each other, the outermost included; groups in unknown fields count as messages.
    package var messageDepthLimit = 100
    /// Whether unknown fields are dropped.
    package var discardUnknownFields = false

    /// The usual options.
    package init() {}
}

/// Why a message can't be encoded.
package enum BinaryEncodingError: Error, Equatable {
    /// It would have 2 GiB or more, which no other program reads.
    case tooLarge
}

extension Message {
    /// Decodes a message.
    ///
    /// Of a field with one value, the last value counts; messages in the same field are merged. Fields that aren't in the schema, or
    /// were sent as another type, are unknown fields.
    /// - Throws: ``BinaryDecodingError``
    package init(
        serializedBytes bytes: some SwiftProtobufContiguousBytes,
        options: BinaryDecodingOptions = BinaryDecodingOptions()
    ) throws {
        self.init()
        try bytes.withUnsafeBytes { buffer in
            try buffer.withMemoryRebound(to: UInt8.self) { buffer in
                guard let start = buffer.baseAddress else { return }
                var decoder = try BinaryDecoder(
                    BinaryReader(from: start, count: buffer.count), depth: options.messageDepthLimit - 1,
                    keepsUnknown: !options.discardUnknownFields)
                try withFields { try decoder.merge(into: $0, Self.fields) }
            }
        }
    }

    /// Encodes the message: known fields by their numbers, a map's entries by their keys, then the unknown fields.
    ///
    /// Equal messages have equal bytes.
    /// - Throws: ``BinaryEncodingError``
    package func serializedBytes<Bytes: SwiftProtobufContiguousBytes>() throws -> Bytes {
        var encoder = BinaryEncoder()
        try withFields(reading: { try encoder.write($0, Self.fields) })
        guard encoder.writer.bytes.count <= Int32.max else { throw BinaryEncodingError.tooLarge }
        return Bytes(encoder.writer.bytes)
    }
}
