/// A type whose values are read from DER.
package protocol DERParseable {
    /// Reads a value.
    /// - Throws: ``ASN1Error``.
    init(derEncoded node: ASN1Node) throws
}

/// A type whose values are written in DER. Every value has an encoding: what has none can't be made.
package protocol DERSerializable {
    /// Writes the value.
    func serialize(into coder: inout DER.Serializer)
}

/// A type with one tag, in whose place a definition may put another.
package protocol DERImplicitlyTaggable: DERParseable, DERSerializable {
    /// The tag unless a definition says otherwise.
    static var defaultIdentifier: ASN1Identifier { get }
    /// Reads a value with another tag.
    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws
    /// Writes the value with another tag.
    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier)
}

extension DERParseable {
    /// Reads a value and nothing after it.
    package init(derEncoded bytes: [UInt8]) throws { try self.init(derEncoded: bytes[...]) }

    /// Reads a value and nothing after it.
    package init(derEncoded bytes: ArraySlice<UInt8>) throws { try self.init(derEncoded: DER.parse(bytes)) }

    /// Reads the next element.
    package init(derEncoded nodes: inout ASN1NodeCollection.Iterator) throws {
        guard let node = nodes.next() else { throw ASN1Error(.missingElement, "sequence") }
        try self.init(derEncoded: node)
    }
}

extension DERSerializable {
    /// The encoding.
    package var derBytes: [UInt8] {
        var serializer = DER.Serializer()
        serialize(into: &serializer)
        return serializer.serializedBytes
    }
}

extension DERImplicitlyTaggable {
    package init(derEncoded node: ASN1Node) throws {
        try self.init(derEncoded: node, withIdentifier: Self.defaultIdentifier)
    }

    package func serialize(into coder: inout DER.Serializer) {
        serialize(into: &coder, withIdentifier: Self.defaultIdentifier)
    }
}
