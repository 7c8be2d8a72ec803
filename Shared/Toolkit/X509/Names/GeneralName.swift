package import SwiftASN1

/// A name of a subject that isn't a distinguished name alone (RFC 5280, section 4.2.1.6).
package enum GeneralName: Hashable, Sendable {
    /// An address of e-mail.
    case rfc822Name(String)
    /// A host.
    case dnsName(String)
    case directoryName(DistinguishedName)
    case uniformResourceIdentifier(String)
    /// 4 or 16 bytes.
    case ipAddress(ASN1OctetString)
    case registeredID(ASN1ObjectIdentifier)
    /// `otherName`, `x400Address` and `ediPartyName`, which nobody asks for here.
    case other(ASN1Any)
}

extension GeneralName: DERParseable, DERSerializable {
    package init(derEncoded node: ASN1Node) throws {
        guard node.identifier.tagClass == .contextSpecific else {
            throw ASN1Error(.unexpectedElement, "general name")
        }
        switch node.identifier.tagNumber {
        case 0, 3, 5:
            _ = try node.children(node.identifier)
            self = .other(try ASN1Any(derEncoded: node))
        case 1: self = .rfc822Name(try Self.text(node))
        case 2: self = .dnsName(try Self.text(node))
        case 4:
            var nodes = try node.children(node.identifier).makeIterator()
            self = .directoryName(try DistinguishedName(derEncoded: &nodes))
            guard nodes.next() == nil else { throw ASN1Error(.trailingData, "general name") }
        case 6: self = .uniformResourceIdentifier(try Self.text(node))
        case 7:
            let address = try ASN1OctetString(derEncoded: node, withIdentifier: node.identifier)
            guard [4, 16].contains(address.bytes.count) else { throw ASN1Error(.invalidValue, "address") }
            self = .ipAddress(address)
        case 8:
            self = .registeredID(try ASN1ObjectIdentifier(derEncoded: node, withIdentifier: node.identifier))
        default: throw ASN1Error(.unexpectedElement, "general name")
        }
    }

    /// An IA5String without control characters: a NUL in a host's name has deceived others (CVE-2009-2408).
    private static func text(_ node: ASN1Node) throws -> String {
        try ASN1Text(derEncoded: node, as: .visibleString, withIdentifier: node.identifier).string
    }

    package func serialize(into coder: inout DER.Serializer) {
        switch self {
        case .rfc822Name(let text): Self.serialize(text, tag: 1, into: &coder)
        case .dnsName(let text): Self.serialize(text, tag: 2, into: &coder)
        case .directoryName(let name):
            coder.serialize(explicitlyTaggedWithTagNumber: 4, tagClass: .contextSpecific) {
                name.serialize(into: &$0)
            }
        case .uniformResourceIdentifier(let text): Self.serialize(text, tag: 6, into: &coder)
        case .ipAddress(let address): address.serialize(into: &coder, withIdentifier: .context(7))
        case .registeredID(let identifier): identifier.serialize(into: &coder, withIdentifier: .context(8))
        case .other(let any): any.serialize(into: &coder)
        }
    }

    private static func serialize(_ text: String, tag: UInt, into coder: inout DER.Serializer) {
        coder.appendPrimitiveNode(identifier: .context(tag), text.utf8)
    }

    /// Whether it can be read again.
    var isWellFormed: Bool {
        (try? DER.parse(derBytes)).flatMap { try? GeneralName(derEncoded: $0) } == self
    }
}
