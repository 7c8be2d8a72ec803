/// A signature of ECDSA (RFC 3279, section 2.2.3): two numbers, neither of them negative.
package struct ECDSASignatureFields: DERImplicitlyTaggable, Hashable, Sendable {
    /// Not negative; whether it is less than the curve's order, the verifier finds.
    package let r: ASN1Integer
    /// The same.
    package let s: ASN1Integer

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// Two numbers, neither of them negative.
    package init(r: ASN1Integer, s: ASN1Integer) {
        self.r = r
        self.s = s
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            ECDSASignatureFields(r: try ASN1Integer(derEncoded: &nodes), s: try ASN1Integer(derEncoded: &nodes))
        }
        guard r.magnitude != nil, s.magnitude != nil else { throw ASN1Error(.invalidValue, "signature") }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            r.serialize(into: &coder)
            s.serialize(into: &coder)
        }
    }
}
