/// A key of which Apple says that a genuine app on a genuine device had it made. Its private half never leaves the
/// device.
package struct AttestedKey: Hashable, Sendable {
    /// The name by which the app knows it.
    package let id: AppAttestKeyID
    /// What verifies the app's assertions.
    package let publicKey: AppAttestPublicKey
    /// Which of Apple's services attested it.
    package let environment: AppAttestEnvironment
}
