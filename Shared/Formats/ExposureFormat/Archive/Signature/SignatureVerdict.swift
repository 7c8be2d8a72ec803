/// What became of one signature when it was checked.
package struct SignatureVerdict: Hashable, Sendable, CustomStringConvertible {
    /// The key that made the signature, by its own account.
    package let identity: SigningIdentity
    /// What was found.
    package let outcome: Outcome

    /// What checking one signature can find.
    package enum Outcome: Hashable, Sendable {
        /// One of the given public keys made it, over exactly these bytes.
        case matches
        /// None of the given public keys made it, or the bytes were changed since.
        case doesNotMatch
        /// It isn't DER.
        case malformed
        /// It names another algorithm than ECDSA with SHA-256 and was not looked at.
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
