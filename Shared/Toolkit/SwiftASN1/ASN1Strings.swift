/// An OCTET STRING.
package struct ASN1OctetString: DERImplicitlyTaggable, Hashable, Sendable {
    /// The content.
    package let bytes: ArraySlice<UInt8>

    package static let defaultIdentifier = ASN1Identifier.octetString

    /// A string of these bytes.
    package init(contentBytes bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        bytes = try node.primitive(identifier, "OCTET STRING")
    }

    /// Reads one that may be in pieces (X.690, section 8.7.3).
    package init(
        berEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier = Self.defaultIdentifier
    ) throws {
        guard node.identifier == identifier else { throw ASN1Error(.unexpectedElement, "OCTET STRING") }
        switch node.content {
        case .primitive(let bytes): self.bytes = bytes
        case .constructed(let pieces):
            bytes = try pieces.reduce(into: []) { $0 += try ASN1OctetString(berEncoded: $1).bytes }
        }
    }

    /// Reads the next element, which may be in pieces.
    package init(berEncoded nodes: inout ASN1NodeCollection.Iterator) throws {
        guard let node = nodes.next() else { throw ASN1Error(.missingElement, "OCTET STRING") }
        try self.init(berEncoded: node)
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendPrimitiveNode(identifier: identifier, bytes)
    }
}

/// A BIT STRING.
package struct ASN1BitString: DERImplicitlyTaggable, Hashable, Sendable {
    /// The bits, of which the last ``paddingBits`` are zero and don't count.
    package let bytes: ArraySlice<UInt8>
    /// 0 to 7.
    package let paddingBits: Int

    package static let defaultIdentifier = ASN1Identifier.bitString

    /// Whole bytes.
    package init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        paddingBits = 0
    }

    /// Bits with names, the first the highest one of the first byte. Those at the end that aren't set are left out
    /// (X.690, section 11.2.2).
    package init(namedBits bits: [Bool]) {
        let count = (bits.lastIndex(of: true) ?? -1) + 1
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for (index, bit) in bits.prefix(count).enumerated() where bit { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
        self.bytes = bytes[...]
        paddingBits = bytes.count * 8 - count
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        let content = try node.primitive(identifier, "BIT STRING")
        // X.690, sections 8.6.2 and 11.2.1.
        guard let padding = content.first, padding < 8, padding == 0 || content.count > 1,
            let last = content.last, padding == 0 || last & (1 << padding - 1) == 0
        else { throw ASN1Error(.invalidValue, "BIT STRING") }
        bytes = content.dropFirst()
        paddingBits = Int(padding)
    }

    /// Bits with names.
    /// - Throws: ``ASN1Error`` if the last one isn't set.
    package var namedBits: [Bool] {
        get throws {
            let bits = (0..<bytes.count * 8 - paddingBits).map { index in
                bytes[bytes.startIndex + index / 8] & 0x80 >> UInt8(index % 8) != 0
            }
            guard bits.last ?? true else { throw ASN1Error(.invalidValue, "named bits") }
            return bits
        }
    }

    /// The bytes of a string that is made of whole ones: keys and signatures.
    package var wholeBytes: ArraySlice<UInt8> {
        get throws {
            guard paddingBits == 0 else { throw ASN1Error(.invalidValue, "unused bits") }
            return bytes
        }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendPrimitiveNode(identifier: identifier, [UInt8(paddingBits)] + bytes)
    }
}
