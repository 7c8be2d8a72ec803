/// A private key with its algorithm, PKCS #8 without encryption (RFC 5208 and RFC 5958): `PRIVATE KEY` in PEM.
package struct PrivateKeyInfo: DERImplicitlyTaggable, Sendable {
    /// The algorithm, with the curve.
    package let algorithm: AlgorithmIdentifier
    /// The key in the algorithm's own form: an ``ECPrivateKeyFields``, an ``RSAPrivateKeyFields``, or an octet string
    /// (RFC 8410).
    package let key: ArraySlice<UInt8>

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// A key in its algorithm's own form.
    package init(algorithm: AlgorithmIdentifier, key: some Sequence<UInt8>) {
        self.algorithm = algorithm
        self.key = ArraySlice(key)
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            let version = try Int(derEncoded: &nodes)
            let info = PrivateKeyInfo(
                algorithm: try AlgorithmIdentifier(derEncoded: &nodes),
                key: try ASN1OctetString(derEncoded: &nodes).bytes)
            // Attributes say nothing of the key, and the public half follows from it.
            DER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { _ in }
            let publicKey = DER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { $0 }
            guard version == 0 && publicKey == nil || version == 1 else {
                throw ASN1Error(.invalidValue, "version of PKCS #8")
            }
            return info
        }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            0.serialize(into: &coder)
            algorithm.serialize(into: &coder)
            ASN1OctetString(contentBytes: key).serialize(into: &coder)
        }
    }
}

/// A private key on a curve (RFC 5915, section 3): `EC PRIVATE KEY` in PEM, or the content of PKCS #8.
package struct ECPrivateKeyFields: DERImplicitlyTaggable, Sendable {
    /// The number, the highest byte first, as long as the curve's order.
    package let privateKey: ArraySlice<UInt8>
    /// The curve; nil in PKCS #8, which names it elsewhere.
    package let curve: ASN1ObjectIdentifier?
    /// The point, which may be absent and isn't checked against the number.
    package let publicKey: ArraySlice<UInt8>?

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// A key with its point.
    package init(
        privateKey: some Sequence<UInt8>, curve: ASN1ObjectIdentifier? = nil, publicKey: (some Sequence<UInt8>)?
    ) {
        self.privateKey = ArraySlice(privateKey)
        self.curve = curve
        self.publicKey = publicKey.map { ArraySlice($0) }
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            guard try Int(derEncoded: &nodes) == 1 else { throw ASN1Error(.invalidValue, "version of a key") }
            return ECPrivateKeyFields(
                privateKey: try ASN1OctetString(derEncoded: &nodes).bytes,
                curve: try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                    try ASN1ObjectIdentifier(derEncoded: $0)
                },
                publicKey: try DER.optionalExplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) {
                    try ASN1BitString(derEncoded: $0).wholeBytes
                })
        }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            1.serialize(into: &coder)
            ASN1OctetString(contentBytes: privateKey).serialize(into: &coder)
            if let curve {
                coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                    curve.serialize(into: &$0)
                }
            }
            if let publicKey {
                coder.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) {
                    ASN1BitString(bytes: publicKey).serialize(into: &$0)
                }
            }
        }
    }
}

/// A private key of RSA with two primes (RFC 8017, section A.1.2): `RSA PRIVATE KEY` in PEM, or the content of PKCS #8.
package struct RSAPrivateKeyFields: DERImplicitlyTaggable, Sendable {
    /// n, e, d, p, q, dP, dQ, qInv, none of them negative. Whether they belong together isn't checked.
    package let numbers: [ASN1Integer]

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// - Parameter numbers: eight of them.
    package init(numbers: [ASN1Integer]) { self.numbers = numbers }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        numbers = try DER.sequence(node, identifier: identifier) { nodes in
            // Version 1 is for more primes.
            guard try Int(derEncoded: &nodes) == 0 else { throw ASN1Error(.invalidValue, "version of a key") }
            return try (0..<8).map { _ in try ASN1Integer(derEncoded: &nodes) }
        }
        guard numbers.allSatisfy({ $0.magnitude != nil }) else { throw ASN1Error(.invalidValue, "RSA key") }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            0.serialize(into: &coder)
            for number in numbers { number.serialize(into: &coder) }
        }
    }
}
