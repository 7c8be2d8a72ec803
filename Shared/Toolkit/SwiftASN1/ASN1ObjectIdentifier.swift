/// An OBJECT IDENTIFIER (X.690, section 8.19).
package struct ASN1ObjectIdentifier: DERImplicitlyTaggable, Hashable, Sendable {
    /// The content of the encoding, which says the same as the numbers.
    private let bytes: ArraySlice<UInt8>

    package static let defaultIdentifier = ASN1Identifier.objectIdentifier

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        let bytes = try node.primitive(identifier, "OBJECT IDENTIFIER")
        // The last number ends, none starts with a zero, and none has more than 63 bits.
        guard let last = bytes.last, last < 0x80 else { throw ASN1Error(.invalidValue, "OBJECT IDENTIFIER") }
        var length = 0
        for byte in bytes {
            guard length > 0 || byte != 0x80, length < 9 else { throw ASN1Error(.invalidValue, "OBJECT IDENTIFIER") }
            length = byte < 0x80 ? 0 : length + 1
        }
        self.bytes = bytes
    }

    /// Reads one in a message of BER, which has the same form.
    package init(berEncoded node: ASN1Node) throws { try self.init(derEncoded: node) }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendPrimitiveNode(identifier: identifier, bytes)
    }
}

extension ASN1ObjectIdentifier: ExpressibleByArrayLiteral {
    /// Two numbers at least: the first is 0, 1 or 2, and the second less than 40 unless the first is 2.
    package init(arrayLiteral numbers: UInt...) {
        precondition(numbers.count >= 2 && numbers[0] <= 2 && (numbers[0] == 2 || numbers[1] < 40), "no identifier")
        bytes = (base128(numbers[0] * 40 + numbers[1]) + numbers.dropFirst(2).flatMap(base128))[...]
    }
}

extension ASN1ObjectIdentifier: CustomStringConvertible {
    /// The numbers with dots between them.
    package var description: String {
        var numbers: [UInt] = []
        var number: UInt = 0
        for byte in bytes {
            number = number << 7 | UInt(byte & 0x7F)
            guard byte < 0x80 else { continue }
            if numbers.isEmpty {
                let first = min(number / 40, 2)
                numbers = [first, number - 40 * first]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        return numbers.map(String.init).joined(separator: ".")
    }
}

extension ASN1ObjectIdentifier {
    /// Elliptic curves (RFC 5480, section 2.1.1.1).
    package enum NamedCurves {
        /// P-256.
        package static let secp256r1: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 3, 1, 7]
        /// P-384.
        package static let secp384r1: ASN1ObjectIdentifier = [1, 3, 132, 0, 34]
        /// P-521.
        package static let secp521r1: ASN1ObjectIdentifier = [1, 3, 132, 0, 35]
    }

    /// Algorithms of keys and signatures (RFC 5480, RFC 5758, RFC 8017, RFC 8410).
    package enum AlgorithmIdentifier {
        /// Keys on a curve.
        package static let idEcPublicKey: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 2, 1]
        /// ECDSA with SHA-256.
        package static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 4, 3, 2]
        /// ECDSA with SHA-384.
        package static let ecdsaWithSHA384: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 4, 3, 3]
        /// ECDSA with SHA-512.
        package static let ecdsaWithSHA512: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 4, 3, 4]
        /// Keys of RSA.
        package static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
        /// RSA (PKCS #1, version 1.5) with SHA-256.
        package static let sha256WithRSAEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 11]
        /// RSA (PKCS #1, version 1.5) with SHA-384.
        package static let sha384WithRSAEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 12]
        /// RSA (PKCS #1, version 1.5) with SHA-512.
        package static let sha512WithRSAEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 13]
    }
}
