extension Bool: DERImplicitlyTaggable {
    package static var defaultIdentifier: ASN1Identifier { .boolean }

    /// X.690, section 11.1: all bits are set, or none.
    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        switch Array(try node.primitive(identifier, "BOOLEAN")) {
        case [0]: self = false
        case [0xFF]: self = true
        default: throw ASN1Error(.invalidValue, "BOOLEAN")
        }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendPrimitiveNode(identifier: identifier, [self ? 0xFF : 0])
    }
}

/// NULL.
package struct ASN1Null: DERImplicitlyTaggable, Hashable, Sendable {
    package static let defaultIdentifier = ASN1Identifier.null

    /// The only value.
    package init() {}

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        guard try node.primitive(identifier, "NULL").isEmpty else { throw ASN1Error(.invalidValue, "NULL") }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendPrimitiveNode(identifier: identifier, [])
    }
}

/// An element of any type.
package struct ASN1Any: DERParseable, DERSerializable, Hashable, Sendable {
    /// The element with its header, in DER.
    package let encodedBytes: ArraySlice<UInt8>

    /// Also checks the values in it that have a rule for their content.
    package init(derEncoded node: ASN1Node) throws {
        try Self.check(node)
        encodedBytes = node.encodedBytes
    }

    /// An identifier, as parameters of an algorithm are.
    package init(_ identifier: ASN1ObjectIdentifier) { encodedBytes = identifier.derBytes[...] }

    private init(encodedBytes: ArraySlice<UInt8>) { self.encodedBytes = encodedBytes }

    /// NULL.
    package static let null = ASN1Any(encodedBytes: [5, 0])

    private static func check(_ node: ASN1Node) throws {
        switch node.identifier {
        case .boolean: _ = try Bool(derEncoded: node)
        case .integer: _ = try ASN1Integer(derEncoded: node)
        case .bitString: _ = try ASN1BitString(derEncoded: node)
        case .null: _ = try ASN1Null(derEncoded: node)
        case .objectIdentifier: _ = try ASN1ObjectIdentifier(derEncoded: node)
        default:
            guard case .constructed(let nodes) = node.content else { return }
            for node in nodes { try check(node) }
        }
    }

    package func serialize(into coder: inout DER.Serializer) { coder.serializeRawBytes(encodedBytes) }
}
