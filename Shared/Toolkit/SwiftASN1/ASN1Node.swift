/// An element of an encoding whose form was checked, with everything in it.
///
/// It points into the bytes that were read; nothing is copied.
package struct ASN1Node: Hashable, Sendable {
    /// The tag.
    package let identifier: ASN1Identifier
    /// The element with its header.
    package let encodedBytes: ArraySlice<UInt8>
    private let contentRange: Range<Int>
    private let isConstructed: Bool
    let rules: EncodingRules

    /// What stands in an element.
    package enum Content: Hashable, Sendable {
        case constructed(ASN1NodeCollection)
        case primitive(ArraySlice<UInt8>)
    }

    init(_ element: Element, in bytes: ArraySlice<UInt8>, at start: Int, _ rules: EncodingRules) {
        identifier = element.identifier
        encodedBytes = bytes[start..<element.end]
        contentRange = element.content
        isConstructed = element.isConstructed
        self.rules = rules
    }

    /// What stands in it.
    package var content: Content {
        isConstructed
            ? .constructed(ASN1NodeCollection(bytes: encodedBytes[contentRange], rules: rules))
            : .primitive(encodedBytes[contentRange])
    }

    /// The elements in it.
    /// - Throws: ``ASN1Error`` if it isn't constructed, or has another tag.
    package func children(_ identifier: ASN1Identifier) throws(ASN1Error) -> ASN1NodeCollection {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            throw ASN1Error(.unexpectedElement, "constructed")
        }
        return nodes
    }

    /// The content of a primitive element.
    /// - Throws: ``ASN1Error`` if it is constructed, or has another tag.
    package func primitive(
        _ identifier: ASN1Identifier, _ type: StaticString
    ) throws(ASN1Error) -> ArraySlice<UInt8> {
        guard self.identifier == identifier, case .primitive(let bytes) = content else {
            throw ASN1Error(.unexpectedElement, type)
        }
        return bytes
    }
}

/// The elements in an element, in their order.
package struct ASN1NodeCollection: Sequence, Hashable, Sendable {
    let bytes: ArraySlice<UInt8>
    let rules: EncodingRules

    /// One element after the other.
    package struct Iterator: IteratorProtocol, Sendable {
        private let bytes: ArraySlice<UInt8>
        private let rules: EncodingRules
        private var position: Int

        fileprivate init(_ collection: ASN1NodeCollection) {
            bytes = collection.bytes
            rules = collection.rules
            position = bytes.startIndex
        }

        /// The next element; nil after the last one.
        package mutating func next() -> ASN1Node? {
            guard let node = peek() else { return nil }
            position = node.encodedBytes.endIndex
            return node
        }

        /// The next element, which stays the next one.
        ///
        /// All of them were read before the collection came to be, so nothing is malformed here.
        func peek() -> ASN1Node? {
            guard position < bytes.endIndex,
                let element = try? rules.element(
                    in: bytes, at: position, before: bytes.endIndex, depth: DER.deepest, isChecked: true)
            else { return nil }
            return ASN1Node(element, in: bytes, at: position, rules)
        }
    }

    /// Starts at the first element.
    package func makeIterator() -> Iterator { Iterator(self) }
}
