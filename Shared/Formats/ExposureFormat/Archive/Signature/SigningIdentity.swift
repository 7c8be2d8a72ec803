/// What a signature says about its key, so that a phone knows which public key to use (`SignatureInfo`):
/// https://github.com/google/exposure-notifications-server/blob/main/internal/pb/export/export.proto
package struct SigningIdentity: Hashable, Sendable {
    /// The app the signature is meant for.
    package let appBundleID: String
    /// Which of the authority's keys; by convention the mobile country code.
    package let keyID: String
    /// Changes when the authority replaces the key.
    package let keyVersion: String
    /// An object identifier.
    package let algorithm: String

    /// ECDSA with SHA-256 (RFC 5758), the only algorithm that phones accept.
    package static let ecdsaWithSHA256 = "1.2.840.10045.4.3.2"

    /// The defaults are those of the German apps.
    package init(
        appBundleID: String, keyID: String = "262", keyVersion: String = "v1",
        algorithm: String = SigningIdentity.ecdsaWithSHA256
    ) {
        self.appBundleID = appBundleID
        self.keyID = keyID
        self.keyVersion = keyVersion
        self.algorithm = algorithm
    }
}
