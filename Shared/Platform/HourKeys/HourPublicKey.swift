package import ExposureKeys

package import enum Crypto.Curve25519

/// The public half of an hour's key.
package struct HourPublicKey: Sendable {
    /// The hour whose rows it opens.
    package let hour: Hour
    /// What rows are sealed to.
    package let key: Curve25519.KeyAgreement.PublicKey

    /// A key from its parts.
    package init(hour: Hour, key: Curve25519.KeyAgreement.PublicKey) {
        self.hour = hour
        self.key = key
    }
}
