/// A public key with its algorithm (RFC 5280, section 4.1.2.7): `PUBLIC KEY` in PEM.
package struct SubjectPublicKeyInfo: DERImplicitlyTaggable, Hashable, Sendable {
    /// The algorithm, with the curve.
    package let algorithm: AlgorithmIdentifier
    /// The key in the algorithm's own form: a point, or an ``RSAPublicKeyFields``.
    package let key: ArraySlice<UInt8>

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// A key in its algorithm's own form.
    package init(algorithm: AlgorithmIdentifier, key: some Sequence<UInt8>) {
        self.algorithm = algorithm
        self.key = ArraySlice(key)
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            SubjectPublicKeyInfo(
                algorithm: try AlgorithmIdentifier(derEncoded: &nodes),
                key: try ASN1BitString(derEncoded: &nodes).wholeBytes)
        }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            algorithm.serialize(into: &coder)
            ASN1BitString(bytes: key).serialize(into: &coder)
        }
    }
}

/// A public key of RSA (RFC 8017, section A.1.1): `RSA PUBLIC KEY` in PEM, or the content of a ``SubjectPublicKeyInfo``.
package struct RSAPublicKeyFields: DERImplicitlyTaggable, Hashable, Sendable {
    /// n.
    package let modulus: ASN1Integer
    /// e.
    package let exponent: ASN1Integer

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// Two numbers, neither of them negative.
    package init(modulus: ASN1Integer, exponent: ASN1Integer) {
        self.modulus = modulus
        self.exponent = exponent
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            RSAPublicKeyFields(
                modulus: try ASN1Integer(derEncoded: &nodes), exponent: try ASN1Integer(derEncoded: &nodes))
        }
        guard modulus.magnitude != nil, exponent.magnitude != nil else { throw ASN1Error(.invalidValue, "RSA key") }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            modulus.serialize(into: &coder)
            exponent.serialize(into: &coder)
        }
    }
}
