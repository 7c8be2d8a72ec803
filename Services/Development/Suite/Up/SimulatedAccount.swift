/// The developer account that `development-apns` knows. The names look like Apple's and belong to nobody.
package enum SimulatedAccount {
    /// The app's bundle identifier.
    package static let topic = "de.rki.coronawarnapp-dev"
    /// The team identifier.
    package static let team = "VIGILTEAM1"
    /// The id of the push dispatcher's key.
    package static let keyID = "VIGILKEY01"
}
