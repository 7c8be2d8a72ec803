/// The distinguished encoding rules (X.690, section 10): one encoding for each value, and no other is read.
package enum DER {
    /// Elements that may stand in each other. A certificate has about ten.
    package static let deepest = 32

    /// Reads one element and the form of everything in it.
    package static func parse(_ bytes: [UInt8]) throws -> ASN1Node { try parse(bytes[...]) }

    /// Reads one element and the form of everything in it.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        try EncodingRules.der.node(of: bytes)
    }

    /// Reads the elements of a sequence, all of which the closure has to take.
    package static func sequence<T>(
        _ node: ASN1Node, identifier: ASN1Identifier, _ body: (inout ASN1NodeCollection.Iterator) throws -> T
    ) throws -> T {
        var nodes = try node.children(identifier).makeIterator()
        let result = try body(&nodes)
        guard nodes.peek() == nil else { throw ASN1Error(.trailingData, "sequence") }
        return result
    }

    /// Reads a sequence as the next element.
    package static func sequence<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, identifier: ASN1Identifier,
        _ body: (inout ASN1NodeCollection.Iterator) throws -> T
    ) throws -> T {
        guard let node = nodes.next() else { throw ASN1Error(.missingElement, "sequence") }
        return try sequence(node, identifier: identifier, body)
    }

    /// Reads values of one type, at least one of them unless `isEmptyAllowed`.
    package static func sequence<T: DERParseable>(
        of type: T.Type, identifier: ASN1Identifier, rootNode: ASN1Node, isEmptyAllowed: Bool = false
    ) throws -> [T] {
        let values = try node(rootNode, identifier).map { try T(derEncoded: $0) }
        guard isEmptyAllowed || !values.isEmpty else { throw ASN1Error(.missingElement, "sequence") }
        return values
    }

    /// Reads values of one type, in the order of their encodings and none twice (X.690, section 11.6).
    package static func set<T: DERParseable>(
        of type: T.Type, identifier: ASN1Identifier, rootNode: ASN1Node
    ) throws -> [T] {
        let nodes = Array(try node(rootNode, identifier))
        for (node, next) in zip(nodes, nodes.dropFirst())
        where !node.encodedBytes.lexicographicallyPrecedes(next.encodedBytes) {
            throw ASN1Error(.invalidValue, "order of a set")
        }
        return try nodes.map { try T(derEncoded: $0) }
    }

    private static func node(_ node: ASN1Node, _ identifier: ASN1Identifier) throws -> ASN1NodeCollection {
        try node.children(identifier)
    }

    /// Calls the closure with the next element if it has this tag, which stands in place of the type's own.
    package static func optionalImplicitlyTagged<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, tagNumber: UInt, tagClass: ASN1Identifier.TagClass,
        _ body: (ASN1Node) throws -> T
    ) rethrows -> T? {
        guard let node = nodes.peek(),
            node.identifier == ASN1Identifier(tagWithNumber: tagNumber, tagClass: tagClass)
        else { return nil }
        _ = nodes.next()
        return try body(node)
    }

    /// Calls the closure with the only element in the next one, if that has this tag.
    package static func optionalExplicitlyTagged<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, tagNumber: UInt, tagClass: ASN1Identifier.TagClass,
        _ body: (ASN1Node) throws -> T
    ) throws -> T? {
        try optionalImplicitlyTagged(&nodes, tagNumber: tagNumber, tagClass: tagClass) { node in
            try body(try only(in: node))
        }
    }

    /// Calls the closure with the only element in the next one, which must have this tag.
    package static func explicitlyTagged<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, tagNumber: UInt, tagClass: ASN1Identifier.TagClass,
        _ body: (ASN1Node) throws -> T
    ) throws -> T {
        guard
            let result = try optionalExplicitlyTagged(&nodes, tagNumber: tagNumber, tagClass: tagClass, body)
        else { throw ASN1Error(nodes.peek() == nil ? .missingElement : .unexpectedElement, "tagged element") }
        return result
    }

    private static func only(in node: ASN1Node) throws(ASN1Error) -> ASN1Node {
        var nodes = try node.children(node.identifier).makeIterator()
        guard let only = nodes.next() else { throw ASN1Error(.missingElement, "tagged element") }
        guard nodes.peek() == nil else { throw ASN1Error(.trailingData, "tagged element") }
        return only
    }

    /// Reads the next element if it has the type's tag, or gives the default, whose encoding DER forbids (X.690,
    /// section 11.5).
    package static func decodeDefault<T: DERImplicitlyTaggable & Equatable>(
        _ nodes: inout ASN1NodeCollection.Iterator, _ standard: T
    ) throws -> T {
        guard let value: T = try optional(&nodes) else { return standard }
        guard value != standard else { throw ASN1Error(.invalidValue, "default value") }
        return value
    }

    /// Reads the next element if it has the type's tag.
    package static func optional<T: DERImplicitlyTaggable>(
        _ nodes: inout ASN1NodeCollection.Iterator
    ) throws -> T? {
        guard let node = nodes.peek(), node.identifier == T.defaultIdentifier else { return nil }
        _ = nodes.next()
        return try T(derEncoded: node)
    }
}

/// The basic encoding rules (X.690, section 8), which CMS allows and DER is a part of: indefinite and long lengths, and
/// octet strings in pieces.
package enum BER {
    /// Reads one element and the form of everything in it.
    package static func parse(_ bytes: [UInt8]) throws -> ASN1Node { try EncodingRules.ber.node(of: bytes[...]) }

    /// Reads the elements of a sequence, all of which the closure has to take.
    package static func sequence<T>(
        _ node: ASN1Node, identifier: ASN1Identifier, _ body: (inout ASN1NodeCollection.Iterator) throws -> T
    ) throws -> T {
        try DER.sequence(node, identifier: identifier, body)
    }

    /// Calls the closure with the next element if it has this tag, which stands in place of the type's own.
    package static func optionalImplicitlyTagged<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, tagNumber: UInt, tagClass: ASN1Identifier.TagClass,
        _ body: (ASN1Node) throws -> T
    ) rethrows -> T? {
        try DER.optionalImplicitlyTagged(&nodes, tagNumber: tagNumber, tagClass: tagClass, body)
    }

    /// Calls the closure with the only element in the next one, which must have this tag.
    package static func explicitlyTagged<T>(
        _ nodes: inout ASN1NodeCollection.Iterator, tagNumber: UInt, tagClass: ASN1Identifier.TagClass,
        _ body: (ASN1Node) throws -> T
    ) throws -> T {
        try DER.explicitlyTagged(&nodes, tagNumber: tagNumber, tagClass: tagClass, body)
    }
}

extension EncodingRules {
    fileprivate func node(of bytes: ArraySlice<UInt8>) throws(ASN1Error) -> ASN1Node {
        let element = try element(in: bytes, at: bytes.startIndex, before: bytes.endIndex, depth: DER.deepest)
        guard element.end == bytes.endIndex else { throw ASN1Error(.trailingData, "document") }
        return ASN1Node(element, in: bytes, at: bytes.startIndex, self)
    }
}
