/// An INTEGER of any length (X.690, section 8.3).
package struct ASN1Integer: DERImplicitlyTaggable, Hashable, Sendable {
    /// Its two's complement, the highest byte first, in as few bytes as possible and at least one.
    package let bytes: ArraySlice<UInt8>

    package static let defaultIdentifier = ASN1Identifier.integer

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        let bytes = try node.primitive(identifier, "INTEGER")
        guard let first = bytes.first, bytes.count == 1 || !Self.repeatsSign(first, bytes[bytes.startIndex + 1]) else {
            throw ASN1Error(.invalidValue, "INTEGER")
        }
        self.bytes = bytes
    }

    /// A number that isn't negative.
    /// - Parameter magnitude: the highest byte first; leading zeros don't count.
    package init(magnitude: some Collection<UInt8>) {
        let digits = magnitude.drop { $0 == 0 }
        bytes = ArraySlice((digits.first ?? 0x80) < 0x80 ? [] : [0]) + digits
    }

    /// The number, the highest byte first and without leading zeros, which is nothing for 0; nil if it is negative.
    package var magnitude: ArraySlice<UInt8>? {
        guard let first = bytes.first, first < 0x80 else { return nil }
        return first == 0 ? bytes.dropFirst() : bytes
    }

    /// The number with zeros in front; nil if it is negative or has more than `count` bytes.
    package func magnitude(paddedTo count: Int) -> [UInt8]? {
        guard let magnitude, magnitude.count <= count else { return nil }
        return [UInt8](repeating: 0, count: count - magnitude.count) + magnitude
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendPrimitiveNode(identifier: identifier, bytes)
    }

    /// Whether the first byte says nothing that the second doesn't.
    private static func repeatsSign(_ first: UInt8, _ second: UInt8) -> Bool {
        first == (second & 0x80 == 0 ? 0 : 0xFF)
    }
}

extension Int: DERImplicitlyTaggable {
    package static var defaultIdentifier: ASN1Identifier { .integer }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        let bytes = try ASN1Integer(derEncoded: node, withIdentifier: identifier).bytes
        guard bytes.count <= 8, let first = bytes.first else { throw ASN1Error(.invalidValue, "INTEGER of 64 bits") }
        self = bytes.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int($1) }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        let bytes = withUnsafeBytes(of: bigEndian, Array.init)
        let surplus = zip(bytes, bytes.dropFirst()).prefix { $0 == ($1 & 0x80 == 0 ? 0 : 0xFF) }.count
        coder.appendPrimitiveNode(identifier: identifier, bytes.dropFirst(surplus))
    }
}
