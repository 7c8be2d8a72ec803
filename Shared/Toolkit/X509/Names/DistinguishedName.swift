package import SwiftASN1

/// The name of an issuer or a subject, the highest level first (RFC 5280, section 4.1.2.4).
package struct DistinguishedName: Hashable, Sendable {
    private let levels: [RelativeDistinguishedName]

    /// The highest level first.
    package init(_ levels: [RelativeDistinguishedName]) { self.levels = levels }

    /// A name of attributes, each a level of its own.
    /// - Throws: ``SwiftASN1/ASN1Error`` for a text that an attribute's type of string can't hold.
    package init(
        @DistinguishedNameBuilder _ build: () throws -> Result<[RelativeDistinguishedName], any Error>
    ) throws {
        levels = try build().get()
    }
}

extension DistinguishedName: RandomAccessCollection {
    package var startIndex: Int { levels.startIndex }
    package var endIndex: Int { levels.endIndex }
    package subscript(position: Int) -> RelativeDistinguishedName { levels[position] }
}

extension DistinguishedName: DERParseable, DERSerializable {
    package init(derEncoded node: ASN1Node) throws {
        levels = try DER.sequence(
            of: RelativeDistinguishedName.self, identifier: .sequence, rootNode: node, isEmptyAllowed: true)
    }

    package func serialize(into coder: inout DER.Serializer) {
        coder.appendConstructedNode(identifier: .sequence) { coder in
            for level in levels { level.serialize(into: &coder) }
        }
    }
}

extension DistinguishedName: CustomStringConvertible {
    /// As RFC 4514 writes it, the lowest level first: `CN=Laboratory 7,O=Vigil`.
    package var description: String {
        levels.reversed().map { $0.map(Self.text).joined(separator: "+") }.joined(separator: ",")
    }

    private static func text(_ attribute: RelativeDistinguishedName.Attribute) -> String {
        if let name = shortNames[attribute.type], let value = String(attribute.value) {
            return "\(name)=\(escaped(value))"
        }
        if let value = String(attribute.value) { return "\(attribute.type)=\(escaped(value))" }
        let digits = (attribute.value.otherBytes ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "\(attribute.type)=#\(digits.joined())"
    }

    /// RFC 4514, section 3.
    private static let shortNames: [ASN1ObjectIdentifier: String] = [
        .RDNAttributeType.commonName: "CN", .RDNAttributeType.countryName: "C", .RDNAttributeType.localityName: "L",
        .RDNAttributeType.stateOrProvinceName: "ST", .RDNAttributeType.organizationName: "O",
        .RDNAttributeType.organizationalUnitName: "OU",
    ]

    /// RFC 4514, section 2.4. Control characters are written in digits, too, so that a name in a log stays on its line.
    private static func escaped(_ value: String) -> String {
        let scalars = Array(value.unicodeScalars)
        return scalars.enumerated().map { index, scalar in
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\": "\\\(scalar)"
            case "#" where index == 0: "\\#"
            case " " where index == 0 || index == scalars.count - 1: "\\ "
            case _ where scalar.properties.generalCategory == .control:
                String(scalar).utf8.map { ($0 < 16 ? "\\0" : "\\") + String($0, radix: 16) }.joined()
            default: String(scalar)
            }
        }.joined()
    }
}
