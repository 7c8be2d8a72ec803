package import HTTPContract

extension Catalogue {
    /// The names of listeners. `NAME.port` is the configuration key of the port.
    package enum ListenerName: String, Sendable {
        /// The only listener for callers.
        case listen
        /// For apps, through the metadata proxy.
        case app
        /// For the portal of health officers.
        case portal
        /// For other services.
        case `internal`
        /// For laboratories and test centres.
        case laboratories
        /// Apple's production host, simulated.
        case production
        /// Apple's sandbox host, simulated.
        case sandbox
        /// For the identity provider.
        case provider
        /// For contact tracing systems.
        case tracing
        /// For the gateway of a federation of countries.
        case callback
        /// For the servers to whom people bring one-time passwords.
        case redemption
        /// Instructions to a simulator.
        case control
    }

    /// A port, as numbered in a suite whose first port is 8000.
    package struct Port: Hashable, Sendable, ExpressibleByIntegerLiteral {
        /// The default first port of a suite.
        package static let defaultFirst = 8000
        /// How many ports from its first one a suite reserves on its machine. Tests/Live/suite.sh repeats it.
        package static let reserved = 200

        /// The port's number.
        package let number: Int

        /// A port as a literal.
        package init(integerLiteral number: UInt16) {
            self.number = Int(number)
        }

        /// The port's number in a suite with another first port.
        package func number(first: Int) -> Int { number - Self.defaultFirst + first }
    }

    /// How a listener and its callers authenticate.
    package enum Security: Sendable {
        /// Both present certificates of the private authority; the caller's names its role.
        case mutualTLS
        /// Only the listener presents a certificate, of the private authority.
        case privateTLS
        /// The listener presents a certificate of a public authority.
        case publicTLS
        /// No TLS, for data that never leaves the machine.
        case plaintext
    }

    /// One listener of a service.
    package struct Listener: Hashable, Sendable {
        /// The listener's name in configuration and OpenAPI documents.
        package let name: ListenerName
        /// The default port.
        package let port: Port
        /// How the listener and its callers authenticate.
        package let security: Security
        /// Whether outside callers can reach it.
        package let isDoor: Bool
        /// The routes of the operations it offers.
        package let routes: [Route]
        /// Its users, if no certificate names them.
        private let users: String

        init(
            _ name: ListenerName, _ port: Port, _ security: Security, isDoor: Bool = false, for users: String = "",
            offers routes: [Route] = []
        ) {
            self.name = name
            self.port = port
            self.security = security
            self.isDoor = isDoor
            self.users = users
            self.routes = routes
        }

        /// The roles that may call at least one operation.
        package var callers: Set<Role> { Set(routes.flatMap(\.callers)) }

        /// Its users, in words.
        package var purpose: String {
            security == .mutualTLS ? callers.map(\.rawValue).sorted().joined(separator: ", ") + " (mutual TLS)" : users
        }

        /// The URL's scheme.
        package var scheme: String { security == .plaintext ? "http" : "https" }
    }
}
