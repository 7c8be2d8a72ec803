package import ExposureKeys

package import enum Crypto.Curve25519

/// The public half of an hour's key.
package struct HourPublicKey: Sendable {
    /// The hour whose rows it opens.
    package let hour: Hour
    /// What rows are sealed to.
    package let key: Curve25519.KeyAgreement.PublicKey
    /// The newest format of rows that the fold that made the key reads; 1 if it doesn't say.
    package let rowFormat: Int16

    /// A key from its parts.
    package init(hour: Hour, key: Curve25519.KeyAgreement.PublicKey, rowFormat: Int16 = 1) {
        self.hour = hour
        self.key = key
        self.rowFormat = rowFormat
    }
}
