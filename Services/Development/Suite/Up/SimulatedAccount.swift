/// The developer account that `development-apns` knows: names like Apple's, of nobody.
package enum SimulatedAccount {
    /// The app's bundle identifier.
    package static let topic = "de.rki.coronawarnapp-dev"
    /// The account.
    package static let team = "VIGILTEAM1"
    /// The key that the push dispatcher has.
    package static let keyID = "VIGILKEY01"
}
