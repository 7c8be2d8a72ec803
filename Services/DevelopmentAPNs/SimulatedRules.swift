package import Crypto
import FoundationEssentials

/// What the simulated service insists on.
package struct SimulatedRules: Sendable {
    /// What counts as one provider token too many within 20 minutes.
    package enum Updates: Sendable {
        /// A second one on the same connection.
        case perConnection
        /// A second one with the same key, wherever it appears: stricter, and not for a client that is started often.
        case perKey
    }

    /// The app's bundle identifier.
    package var topic: String
    /// The developer account.
    package var team: String
    /// The keys that provider tokens may be signed with, by their ids.
    package var keys: [String: P256.Signing.PublicKey]
    /// How often a token may be renewed.
    package var updates = Updates.perConnection
    /// How many streams a connection gets after its first accepted push.
    package var streams = 1000
    /// Whether pushes under way are refused when another one on the connection was rejected (push sheet, 1.6.5).
    package var refusesInFlight = true
    /// How many bytes of a body may come before the service has given more room; nil for the protocol's 65,535.
    package var window: Int?
    /// Until an answer.
    package var delay: Duration = .zero

    /// Rules as their parts.
    package init(topic: String, team: String, keys: [String: P256.Signing.PublicKey]) {
        self.topic = topic
        self.team = team
        self.keys = keys
    }
}
