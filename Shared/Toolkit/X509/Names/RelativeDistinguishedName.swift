package import SwiftASN1

/// One level of a name: one attribute, or several that count together (RFC 5280, section 4.1.2.4).
package struct RelativeDistinguishedName: Hashable, Sendable {
    private let attributes: [Attribute]

    /// A type and what it says.
    package struct Attribute: Hashable, Sendable {
        /// What the value is: a country, a name.
        package let type: ASN1ObjectIdentifier
        /// What it says.
        package let value: Value

        /// Two values are the same if they have the same type of string and the same bytes. RFC 5280 (section 7.1)
        /// would also take others that look alike, which only helps forgers.
        package struct Value: Hashable, Sendable {
            fileprivate enum Storage: Hashable, Sendable {
                case text(ASN1Text)
                case other(ASN1Any)
            }

            fileprivate let storage: Storage
        }

        /// - Parameter utf8String: written as UTF8String.
        package init(type: ASN1ObjectIdentifier, utf8String: String) {
            self.type = type
            value = Value(storage: .text(ASN1Text(utf8: utf8String)))
        }

        /// - Parameter text: of any type of string.
        init(type: ASN1ObjectIdentifier, _ text: ASN1Text) {
            self.type = type
            value = Value(storage: .text(text))
        }
    }

    /// - Parameter attributes: at least one, or no certificate can be made with it.
    package init(_ attributes: some Sequence<Attribute>) { self.attributes = Array(attributes) }
}

extension RelativeDistinguishedName: RandomAccessCollection {
    package var startIndex: Int { attributes.startIndex }
    package var endIndex: Int { attributes.endIndex }
    package subscript(position: Int) -> Attribute { attributes[position] }
}

extension RelativeDistinguishedName: DERParseable, DERSerializable {
    package init(derEncoded node: ASN1Node) throws {
        attributes = try DER.set(of: Attribute.self, identifier: .set, rootNode: node)
        guard !attributes.isEmpty else { throw ASN1Error(.missingElement, "relative name") }
    }

    package func serialize(into coder: inout DER.Serializer) {
        coder.serializeSetOf(attributes)
    }
}

extension RelativeDistinguishedName.Attribute: DERParseable, DERSerializable {
    package init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
            guard let node = nodes.next() else { throw ASN1Error(.missingElement, "attribute") }
            return Self(type: type, value: try Value(derEncoded: node))
        }
    }

    private init(type: ASN1ObjectIdentifier, value: Value) {
        self.type = type
        self.value = value
    }

    package func serialize(into coder: inout DER.Serializer) {
        coder.appendConstructedNode(identifier: .sequence) { coder in
            type.serialize(into: &coder)
            switch value.storage {
            case .text(let text): text.serialize(into: &coder)
            case .other(let any): any.serialize(into: &coder)
            }
        }
    }
}

extension RelativeDistinguishedName.Attribute.Value {
    fileprivate init(derEncoded node: ASN1Node) throws {
        // The bits of a unique identifier have no text (RFC 4519, section 2.44). Other types aren't read in names.
        storage =
            node.identifier == .bitString
            ? .other(try ASN1Any(derEncoded: node)) : .text(try ASN1Text(derEncoded: node))
    }

    /// The encoding, for a value without a text.
    var otherBytes: ArraySlice<UInt8>? {
        if case .other(let any) = storage { any.encodedBytes } else { nil }
    }
}

extension String {
    /// What an attribute says; nil if that isn't a string.
    package init?(_ value: RelativeDistinguishedName.Attribute.Value) {
        guard case .text(let text) = value.storage else { return nil }
        self = text.string
    }
}

extension ASN1ObjectIdentifier {
    /// Types of attributes in names (RFC 5280, appendix A.1; RFC 2985, section 5.2.1).
    package enum RDNAttributeType {
        /// A name of any kind.
        package static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
        /// Two letters.
        package static let countryName: ASN1ObjectIdentifier = [2, 5, 4, 6]
        /// A place.
        package static let localityName: ASN1ObjectIdentifier = [2, 5, 4, 7]
        /// A part of a country.
        package static let stateOrProvinceName: ASN1ObjectIdentifier = [2, 5, 4, 8]
        /// An organisation.
        package static let organizationName: ASN1ObjectIdentifier = [2, 5, 4, 10]
        /// A part of an organisation.
        package static let organizationalUnitName: ASN1ObjectIdentifier = [2, 5, 4, 11]
        /// An address of e-mail.
        package static let emailAddress: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 1]
    }
}
