/// The result of checking one signature.
package struct SignatureVerdict: Hashable, Sendable, CustomStringConvertible {
    /// The key that the signature claims.
    package let identity: SigningIdentity
    /// The result.
    package let outcome: Outcome

    /// The possible results.
    package enum Outcome: Hashable, Sendable {
        /// One of the given public keys made it, over exactly these bytes.
        case matches
        /// None of the given public keys made it, or the bytes were changed.
        case doesNotMatch
        /// It isn't DER.
        case malformed
        /// It names another algorithm than ECDSA with SHA-256 and was not checked.
        case otherAlgorithm
    }

    /// A plain sentence for the operator.
    package var description: String {
        switch outcome {
        case .matches: "The signature matches."
        case .doesNotMatch: "The signature does not match export.bin and the public key."
        case .malformed: "The signature is not DER."
        case .otherAlgorithm: "The signature says it was made by another algorithm than ECDSA with SHA-256."
        }
    }
}
