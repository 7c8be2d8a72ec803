import SwiftASN1

/// What stands in the closure of a ``DistinguishedName``.
package protocol RelativeDistinguishedNameConvertible {
    /// - Throws: ``SwiftASN1/ASN1Error`` for a text that the attribute's type of string can't hold.
    func makeRDN() throws -> RelativeDistinguishedName
}

/// Puts attributes together. It carries errors to the initialiser, so that attributes need no `try`.
@resultBuilder package enum DistinguishedNameBuilder {
    /// What was put together until now, or why it can't be.
    package typealias Levels = Result<[RelativeDistinguishedName], any Error>

    /// One attribute.
    package static func buildExpression(_ attribute: some RelativeDistinguishedNameConvertible) -> Levels {
        Result { [try attribute.makeRDN()] }
    }

    /// One after the other.
    package static func buildBlock(_ parts: Levels...) -> Levels { Result { try parts.flatMap { try $0.get() } } }

    /// What stands after `if`.
    package static func buildOptional(_ part: Levels?) -> Levels { part ?? .success([]) }
}

/// A name's common name, UTF8String.
package struct CommonName: RelativeDistinguishedNameConvertible {
    private let text: String

    /// - Parameter text: what the attribute says.
    package init(_ text: String) { self.text = text }

    package func makeRDN() throws -> RelativeDistinguishedName {
        RelativeDistinguishedName([.init(type: .RDNAttributeType.commonName, utf8String: text)])
    }
}

/// A country's two letters, PrintableString.
package struct CountryName: RelativeDistinguishedNameConvertible {
    private let text: String

    /// - Parameter text: what the attribute says.
    package init(_ text: String) { self.text = text }

    package func makeRDN() throws -> RelativeDistinguishedName {
        RelativeDistinguishedName([.init(type: .RDNAttributeType.countryName, try ASN1Text(printable: text))])
    }
}

/// An organisation, UTF8String.
package struct OrganizationName: RelativeDistinguishedNameConvertible {
    private let text: String

    /// - Parameter text: what the attribute says.
    package init(_ text: String) { self.text = text }

    package func makeRDN() throws -> RelativeDistinguishedName {
        RelativeDistinguishedName([.init(type: .RDNAttributeType.organizationName, utf8String: text)])
    }
}

/// A part of an organisation, UTF8String.
package struct OrganizationalUnitName: RelativeDistinguishedNameConvertible {
    private let text: String

    /// - Parameter text: what the attribute says.
    package init(_ text: String) { self.text = text }

    package func makeRDN() throws -> RelativeDistinguishedName {
        RelativeDistinguishedName([.init(type: .RDNAttributeType.organizationalUnitName, utf8String: text)])
    }
}

/// An address of e-mail, IA5String.
package struct EmailAddress: RelativeDistinguishedNameConvertible {
    private let text: String

    /// - Parameter text: what the attribute says.
    package init(_ text: String) { self.text = text }

    package func makeRDN() throws -> RelativeDistinguishedName {
        RelativeDistinguishedName([.init(type: .RDNAttributeType.emailAddress, try ASN1Text(ia5: text))])
    }
}
