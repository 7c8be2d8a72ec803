import CountryModel
import Crypto
import DevelopmentSuite
import Venues

/// The codes at the doors of a country's venues: every other one is Corona-Warn-App's, the others are of Apple's protocol.
struct Posters: Sendable {
    let seed: UInt64

    func code(of venue: VenueID) -> VenueCode? {
        let secret = Array(SHA256.hash(data: Array("country \(seed), venue \(venue.rawValue)".utf8)))
        let name = "Venue \(venue.rawValue)"
        return venue.rawValue.isMultiple(of: 2)
            ? VenuePoster.traceLocation(seed: Array(secret.prefix(16)), name, address: "Street \(venue.rawValue)")
            : VenuePoster.code(seed: secret, name)
    }
}
