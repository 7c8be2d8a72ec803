import FoundationEssentials
import HTTPMessage
package import Running

/// The configuration of the APNs client: hosts, credentials, limits.
///
/// Keys: `apns.topic`; either `apns.teamID`, `apns.keyID` and `apns.key` (a provider token), or `apns.certificate` and
/// `apns.certificateKey`; `apns.production.host`, `apns.production.port`, `apns.sandbox.host`, `apns.sandbox.port`,
/// `apns.authorities`, `apns.connections`, `apns.rate`.
package struct APNsPlan: Sendable {
    /// The address of one of the two services.
    struct Host: Sendable {
        let name: String
        let port: Int

        /// As requests name it (RFC 3986, section 3.2.2).
        var authority: String { name.contains(":") ? "[\(name)]" : name }
    }

    /// The app's bundle identifier.
    package var topic: String
    /// Merges stored pushes of one app. Nothing is shown, so one name is enough.
    package var collapseID = "sync"
    /// Connections to each of the two services, in addition to the one for suspect tokens.
    package var connections: Int
    /// The maximum number of pushes a second.
    package var rate: Int
    /// Timeouts and the retry policy.
    package var timing = APNsTiming()
    let credentials: APNsCredentials
    private let hosts: [APNsEnvironment: Host]

    /// The maximum number of connections: Apple treats too many as a denial-of-service attack
    /// (<https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns>).
    package static let maxConnections = 8

    /// Reads the settings.
    package init(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) {
        let topic = try settings.string("apns.topic")
        guard topic.utf8.count <= 255, topic.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw settings.wrong("apns.topic", "must be the app's bundle identifier, such as org.example.app")
        }
        self.topic = topic
        connections = try settings.int("apns.connections", default: 1, in: 1...Self.maxConnections)
        rate = try settings.int("apns.rate", default: 20_000, in: 1...1_000_000)
        credentials = try APNsCredentials(settings, clock: clock)
        hosts = [
            .production: try Self.host("apns.production", default: "api.push.apple.com", settings),
            .sandbox: try Self.host("apns.sandbox", default: "api.sandbox.push.apple.com", settings),
        ]
    }

    private static func host(
        _ prefix: String, default name: String, _ settings: Settings
    ) throws(ConfigurationProblem) -> Host {
        let host = Host(
            name: settings.string("\(prefix).host", default: name),
            port: try settings.port("\(prefix).port", default: 443))
        guard Authority.isValid(host.authority.utf8Span.span) else {
            throw settings.wrong("\(prefix).host", "must be a host name or an IP address")
        }
        return host
    }

    func host(of environment: APNsEnvironment) -> Host {
        // Both are set at initialisation.
        hosts[environment] ?? Host(name: "api.push.apple.com", port: 443)
    }
}
