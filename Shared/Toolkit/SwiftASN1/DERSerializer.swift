extension DER {
    /// Writes DER.
    ///
    /// An element's content is written first and moved when its length is known, which costs a few bytes' copy for each
    /// level and no second buffer.
    package struct Serializer: Sendable {
        /// What was written.
        package private(set) var serializedBytes: [UInt8] = []

        /// Starts with nothing.
        package init() {}

        /// Writes a value. It throws for no type of this package; the signature allows for one whose values may have no encoding.
        package mutating func serialize(_ value: some DERSerializable) throws { value.serialize(into: &self) }

        /// Writes an element that was read, with definite lengths.
        package mutating func serialize(_ node: ASN1Node) {
            switch node.content {
            case _ where node.rules == .der: serializeRawBytes(node.encodedBytes)
            case .primitive(let bytes): appendPrimitiveNode(identifier: node.identifier, bytes)
            case .constructed(let nodes):
                appendConstructedNode(identifier: node.identifier) { serializer in
                    for node in nodes { serializer.serialize(node) }
                }
            }
        }

        /// Writes what the closure writes as the content of an element with this tag.
        package mutating func serialize(
            explicitlyTaggedWithTagNumber number: UInt, tagClass: ASN1Identifier.TagClass,
            _ body: (inout Serializer) throws -> Void
        ) rethrows {
            try appendConstructedNode(
                identifier: ASN1Identifier(tagWithNumber: number, tagClass: tagClass), body)
        }

        /// Writes what the closure writes as the content of a constructed element.
        package mutating func appendConstructedNode(
            identifier: ASN1Identifier, _ body: (inout Serializer) throws -> Void
        ) rethrows {
            append(identifier, isConstructed: true)
            let start = serializedBytes.count
            try body(&self)
            serializedBytes.insert(contentsOf: Self.length(serializedBytes.count - start), at: start)
        }

        /// Writes a primitive element.
        package mutating func appendPrimitiveNode(identifier: ASN1Identifier, _ content: some Collection<UInt8>) {
            append(identifier, isConstructed: false)
            serializedBytes += Self.length(content.count)
            serializedBytes += content
        }

        /// Writes a set whose elements are sorted by their encodings (X.690, section 11.6).
        package mutating func serializeSetOf(
            _ values: some Sequence<some DERSerializable>, identifier: ASN1Identifier = .set
        ) {
            let encodings = values.map(\.derBytes).sorted { $0.lexicographicallyPrecedes($1) }
            appendConstructedNode(identifier: identifier) { serializer in
                for encoding in encodings { serializer.serializeRawBytes(encoding) }
            }
        }

        /// Writes bytes that are DER already.
        package mutating func serializeRawBytes(_ bytes: some Sequence<UInt8>) { serializedBytes += bytes }

        private mutating func append(_ identifier: ASN1Identifier, isConstructed: Bool) {
            let head = identifier.tagClass.rawValue | (isConstructed ? 0x20 : 0)
            guard identifier.tagNumber >= 0x1F else {
                serializedBytes.append(head | UInt8(identifier.tagNumber))
                return
            }
            serializedBytes.append(head | 0x1F)
            serializedBytes += base128(identifier.tagNumber)
        }

        private static func length(_ count: Int) -> [UInt8] {
            guard count >= 0x80 else { return [UInt8(count)] }
            let bytes = withUnsafeBytes(of: count.bigEndian, Array.init).drop { $0 == 0 }
            return [0x80 | UInt8(bytes.count)] + bytes
        }
    }
}

/// Groups of seven bits, the highest bit of all but the last set.
func base128(_ number: UInt) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest != 0 {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
    }
    return bytes.reversed()
}
