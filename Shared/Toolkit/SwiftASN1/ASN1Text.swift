/// A string of one of the types that names in certificates have (X.680, section 41; RFC 5280, section 4.1.2.4), with its
/// characters checked.
package struct ASN1Text: DERParseable, DERSerializable, Hashable, Sendable {
    /// The type.
    package let identifier: ASN1Identifier
    /// The content of the encoding.
    package let bytes: ArraySlice<UInt8>
    /// What it says.
    package let string: String

    /// Reads a string of any of these types.
    package init(derEncoded node: ASN1Node) throws {
        guard Self.types.contains(node.identifier) else { throw ASN1Error(.unexpectedElement, "string") }
        try self.init(derEncoded: node, as: node.identifier, withIdentifier: node.identifier)
    }

    /// Reads a string of one type that may have another tag.
    package init(
        derEncoded node: ASN1Node, as type: ASN1Identifier, withIdentifier identifier: ASN1Identifier
    ) throws {
        bytes = try node.primitive(identifier, "string")
        self.identifier = type
        guard let string = Self.string(bytes, type) else { throw ASN1Error(.invalidValue, "string") }
        self.string = string
    }

    /// A UTF8String.
    package init(utf8 string: String) {
        identifier = .utf8String
        bytes = ArraySlice(string.utf8)
        self.string = string
    }

    /// - Throws: ``ASN1Error`` if the string has characters that a PrintableString hasn't.
    package init(printable string: String) throws { try self.init(string, .printableString) }

    /// - Throws: ``ASN1Error`` if the string has characters outside ASCII.
    package init(ia5 string: String) throws { try self.init(string, .ia5String) }

    private init(_ string: String, _ type: ASN1Identifier) throws {
        identifier = type
        bytes = ArraySlice(string.utf8)
        guard Self.string(bytes, type) == string else { throw ASN1Error(.invalidValue, "string") }
        self.string = string
    }

    package func serialize(into coder: inout DER.Serializer) {
        coder.appendPrimitiveNode(identifier: identifier, bytes)
    }

    /// Those of a DirectoryString, and two that older names have (RFC 5280, appendix A.1). VisibleString isn't one.
    private static let types: Set<ASN1Identifier> = [
        .utf8String, .numericString, .printableString, .teletexString, .ia5String, .universalString, .bmpString,
    ]

    private static func string(_ bytes: ArraySlice<UInt8>, _ type: ASN1Identifier) -> String? {
        switch type {
        case .utf8String: String(validating: bytes, as: UTF8.self)
        case .numericString: ascii(bytes) { $0 == 0x20 || (0x30...0x39).contains($0) }
        case .printableString: ascii(bytes, isPrintable)
        case .visibleString: ascii(bytes) { (0x20...0x7E).contains($0) }
        case .ia5String: ascii(bytes) { $0 < 0x80 }
        // T.61 has more forms than anybody reads; what exists in certificates is Latin-1.
        case .teletexString: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString: wide(bytes, 2)
        case .universalString: wide(bytes, 4)
        default: nil
        }
    }

    private static func ascii(_ bytes: ArraySlice<UInt8>, _ isAllowed: (UInt8) -> Bool) -> String? {
        bytes.allSatisfy(isAllowed) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// X.680, table 10, and the asterisk and ampersand that hosts' and companies' names have in certificates all the
    /// same.
    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: " '()+,-./:=?*&".utf8.contains(byte)
        }
    }

    /// Characters of a fixed number of bytes, none of which is a surrogate.
    private static func wide(_ bytes: ArraySlice<UInt8>, _ width: Int) -> String? {
        guard bytes.count.isMultiple(of: width) else { return nil }
        var scalars = String.UnicodeScalarView()
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: width) {
            let value = bytes[start..<start + width].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard let scalar = Unicode.Scalar(value) else { return nil }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
