/// The name of an algorithm with its parameters (RFC 5280, section 4.1.1.2).
package struct AlgorithmIdentifier: DERImplicitlyTaggable, Hashable, Sendable {
    /// The name.
    package let algorithm: ASN1ObjectIdentifier
    /// Nil if they are absent, which isn't the same as NULL.
    package let parameters: ASN1Any?

    package static let defaultIdentifier = ASN1Identifier.sequence

    /// An algorithm with its parameters.
    package init(algorithm: ASN1ObjectIdentifier, parameters: ASN1Any? = nil) {
        self.algorithm = algorithm
        self.parameters = parameters
    }

    /// With NULL as parameters, as RSA has it (RFC 4055, section 1.2).
    package static func withNull(_ algorithm: ASN1ObjectIdentifier) -> AlgorithmIdentifier {
        AlgorithmIdentifier(algorithm: algorithm, parameters: .null)
    }

    /// Of keys on a curve (RFC 5480, section 2.1.1).
    package static func ecPublicKey(on curve: ASN1ObjectIdentifier) -> AlgorithmIdentifier {
        AlgorithmIdentifier(
            algorithm: .AlgorithmIdentifier.idEcPublicKey, parameters: ASN1Any(curve))
    }

    package init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            AlgorithmIdentifier(
                algorithm: try ASN1ObjectIdentifier(derEncoded: &nodes),
                parameters: try nodes.next().map { try ASN1Any(derEncoded: $0) })
        }
    }

    package func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) {
        coder.appendConstructedNode(identifier: identifier) { coder in
            algorithm.serialize(into: &coder)
            if let parameters { parameters.serialize(into: &coder) }
        }
    }
}
