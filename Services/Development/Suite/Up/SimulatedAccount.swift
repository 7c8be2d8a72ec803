/// The developer account that `development-apns` and `development-attestation` know. The names look like Apple's and belong to nobody.
package enum SimulatedAccount {
    /// The app's bundle identifier.
    package static let topic = "de.rki.coronawarnapp-dev"
    /// The team identifier.
    package static let team = "VIGILTEAM1"
    /// The id of the keys that Apple issues: the push dispatcher's, and data-donation's for DeviceCheck.
    package static let keyID = "VIGILKEY01"
    /// SHA-256 of the certificate with which the app for Android is signed, in Base64.
    package static let androidSigner = "LV8k5vSxJLBq9UyLrKeN1O7zQ3ESRQQvxZ1YAy1F3Ro="
}
