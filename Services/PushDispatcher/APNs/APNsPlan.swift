import FoundationEssentials
import NIOCore
import NIOSSL
package import Running

/// How Apple's service is reached and convinced.
///
/// Keys: `apns.topic`; either `apns.teamID`, `apns.keyID` and `apns.key` (a provider token), or `apns.certificate` and
/// `apns.certificateKey`; `apns.production.host`, `apns.production.port`, `apns.sandbox.host`, `apns.sandbox.port`,
/// `apns.authorities`, `apns.connections`, `apns.rate`.
package struct APNsPlan: Sendable {
    /// Where one of the two services is.
    struct Host: Sendable {
        let name: String
        let port: Int

        /// TLS asks for a name, and takes none for an address; the certificate must then be the address's.
        var serverName: String? {
            let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
            return isAddress ? nil : name
        }
    }

    /// The app's bundle identifier.
    package var topic: String
    /// Joins pushes of one app that wait for a phone. Nothing is shown, so it is one name for ever.
    package var collapseID = "sync"
    /// How many connections to each of the two services, beside that for suspect tokens.
    package var connections: Int
    /// The most pushes a second.
    package var rate: Int
    /// Deadlines and pauses.
    package var timing = APNsTiming()
    let credentials: APNsCredentials
    private let hosts: [APNsEnvironment: Host]

    /// The most connections: more are taken for an attack (push sheet, 1.6.6).
    package static let mostConnections = 8

    /// Reads the settings.
    package init(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) {
        let topic = try settings.string("apns.topic")
        guard topic.utf8.count <= 255, topic.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw settings.wrong("apns.topic", "must be the app's bundle identifier, such as org.example.app")
        }
        self.topic = topic
        connections = try settings.int("apns.connections", default: 1, in: 1...Self.mostConnections)
        rate = try settings.int("apns.rate", default: 20_000, in: 1...1_000_000)
        credentials = try APNsCredentials(settings, clock: clock)
        hosts = [
            .production: Host(
                name: settings.string("apns.production.host", default: "api.push.apple.com"),
                port: try settings.port("apns.production.port", default: 443)),
            .sandbox: Host(
                name: settings.string("apns.sandbox.host", default: "api.sandbox.push.apple.com"),
                port: try settings.port("apns.sandbox.port", default: 443)),
        ]
    }

    func host(of environment: APNsEnvironment) -> Host {
        // Both are there from the beginning.
        hosts[environment] ?? Host(name: "api.push.apple.com", port: 443)
    }
}
