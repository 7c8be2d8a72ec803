package import Crypto
import FoundationEssentials

/// The rules of the simulated service.
package struct SimulatedRules: Sendable {
    /// The definition of too many provider tokens within 20 minutes.
    package enum Updates: Sendable {
        /// A second token on the same connection.
        case perConnection
        /// A second token with the same key on any connection.
        ///
        /// This is stricter, and unsuitable for a client that restarts often.
        case perKey
    }

    /// The app's bundle identifier.
    package var topic: String
    /// The developer account.
    package var team: String
    /// The keys of provider tokens, by id.
    package var keys: [String: P256.Signing.PublicKey]
    /// How often a token may be renewed.
    package var updates = Updates.perConnection
    /// The stream limit of a connection after its first accepted push.
    package var streams = 1000
    /// The stream limit before that, and after a rejection; other servers of the protocol don't lower it
    /// (<https://github.com/jchambers/pushy>, `MockApnsServer`).
    package var firstStreams = 1
    /// Whether a rejected push causes the others in progress on the connection to be refused
    /// (<https://github.com/jchambers/pushy/issues/476>).
    package var refusesInFlight = true
    /// The initial flow-control window; nil for the protocol's 65,535 bytes.
    package var window: Int?
    /// Whether replies have a header field and a member that no version has.
    package var addsFields = false
    /// The delay of an answer.
    package var delay: Duration = .zero

    /// Creates rules from their parts.
    package init(topic: String, team: String, keys: [String: P256.Signing.PublicKey]) {
        self.topic = topic
        self.team = team
        self.keys = keys
    }
}
