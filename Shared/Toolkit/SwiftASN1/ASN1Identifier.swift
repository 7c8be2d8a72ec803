/// The tag of an element (X.690, section 8.1.2), without the bit that says whether it is constructed.
package struct ASN1Identifier: Hashable, Sendable {
    /// The four classes of tags, with their two bits.
    package enum TagClass: UInt8, Hashable, Sendable {
        case universal = 0
        case application = 0x40
        case contextSpecific = 0x80
        case `private` = 0xC0
    }

    /// The number within its class.
    package let tagNumber: UInt
    /// The class.
    package let tagClass: TagClass

    /// A tag of a class.
    package init(tagWithNumber number: UInt, tagClass: TagClass) {
        tagNumber = number
        self.tagClass = tagClass
    }

    private init(_ number: UInt) { self.init(tagWithNumber: number, tagClass: .universal) }

    /// The tag `[number]`, as definitions write it.
    package static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    // X.680, section 8.4.
    static let boolean = ASN1Identifier(1)
    static let integer = ASN1Identifier(2)
    /// BIT STRING.
    package static let bitString = ASN1Identifier(3)
    static let octetString = ASN1Identifier(4)
    /// NULL.
    package static let null = ASN1Identifier(5)
    static let objectIdentifier = ASN1Identifier(6)
    static let utf8String = ASN1Identifier(12)
    /// SEQUENCE, and SEQUENCE OF.
    package static let sequence = ASN1Identifier(16)
    /// SET, and SET OF.
    package static let set = ASN1Identifier(17)
    static let numericString = ASN1Identifier(18)
    static let printableString = ASN1Identifier(19)
    static let teletexString = ASN1Identifier(20)
    static let ia5String = ASN1Identifier(22)
    /// UTCTime.
    package static let utcTime = ASN1Identifier(23)
    /// GeneralizedTime.
    package static let generalizedTime = ASN1Identifier(24)
    /// VisibleString.
    package static let visibleString = ASN1Identifier(26)
    static let universalString = ASN1Identifier(28)
    static let bmpString = ASN1Identifier(30)

    /// Whether DER has elements of this universal tag in constructed form alone: EXTERNAL, EMBEDDED PDV, SEQUENCE, SET
    /// and unrestricted CHARACTER STRING. All others are primitive (X.690, sections 8 and 10.2).
    var isConstructedInDER: Bool { [8, 11, 16, 17, 29].contains(tagNumber) }
}
