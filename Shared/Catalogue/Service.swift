package import HTTPContract
package import Schema

extension Catalogue {
    /// One process of a suite.
    package struct Service: Hashable, Sendable {
        /// Names the process, its container, certificate, log and configuration file.
        package let name: String
        /// The executable; several processes may run the same one.
        package let executable: String
        /// The executable's subcommand, if it has several.
        package let subcommand: [String]
        /// Whether it simulates an outside peer. No production image contains a simulator.
        package let isSimulator: Bool
        /// The role in its certificate; nil if it calls no other service.
        package let role: Role?
        /// Its listeners, except for the admin port.
        package let listeners: [Listener]
        /// The port for `/health`, `/ready` and `/metrics`, on the loopback address.
        package let admin: Port
        /// The port for a Prometheus on another machine, by mutual TLS; nil if none scrapes it.
        package let metrics: Port?
        /// The database, if it has tables of its own.
        package let database: Database?
        /// The secrets that only this service reads.
        package let secrets: [Secret]
        /// The folders that it shares with others or that outlive it.
        package let volumes: [Volume]
        /// The listeners it connects to.
        package let calls: [Call]

        init(
            _ name: String, executable: String? = nil, _ subcommand: String..., isSimulator: Bool = false,
            role: Role?, listeners: [Listener], admin: Port, metrics: Port? = nil, database: Database? = nil,
            secrets: [Secret] = [],
            volumes: [Volume] = [], calls: [Call] = []
        ) {
            self.name = name
            self.executable = executable ?? name
            self.subcommand = subcommand
            self.isSimulator = isSimulator
            self.role = role
            self.listeners = listeners
            self.admin = admin
            self.metrics = metrics
            self.database = database
            self.secrets = secrets
            self.volumes = volumes
            self.calls = calls
        }

        /// Whether it has a certificate of the private authority.
        package var hasCertificate: Bool {
            role != nil || metrics != nil
                || listeners.contains { $0.security == .mutualTLS || $0.security == .privateTLS }
        }

        /// Whether it has a listener with a certificate of a public authority.
        package var hasPublicCertificate: Bool { listeners.contains { $0.security == .publicTLS } }

        /// A listener by its name.
        package func listener(_ name: ListenerName) -> Listener? { listeners.first { $0.name == name } }
    }

    /// A service's login role and the tables of other services that it reads.
    package struct Database: Hashable, Sendable {
        /// Its login role, which may use the rows of a schema but owns no table.
        package let role: DatabaseRole
        /// Tables of other services' schemas that it may read, each as `schema.table`.
        package let reads: Set<String>

        init(_ role: DatabaseRole, reads: Set<String> = []) {
            self.role = role
            self.reads = reads
        }
    }

    /// A secret in its own file, which one service reads.
    package struct Secret: Hashable, Sendable {
        /// How the secret is generated.
        package enum Kind: Sendable {
            /// 32 random bytes in hexadecimal digits.
            case hexadecimal
            /// 32 random bytes in Base64.
            case base64
            /// A P-256 private key in PEM.
            case privateKey
        }

        /// The file's name.
        package let file: String
        /// The configuration key that names the file.
        package let key: String
        /// The prefix of the path in the setting.
        package let prefix: String
        /// How the secret is generated.
        package let kind: Kind

        init(_ kind: Kind, _ file: String, key: String, prefix: String = "") {
            self.kind = kind
            self.file = file
            self.key = key
            self.prefix = prefix
        }
    }

    /// A folder that a service uses.
    package struct Volume: Hashable, Sendable {
        /// The purpose of a folder.
        package enum Name: String, Sendable, CaseIterable {
            /// The private keys of open hours. It must never be backed up.
            case hourKeys = "hour-keys"
            /// The private keys of open hours of donated data. It must never be backed up.
            case donationHourKeys = "donation-hour-keys"
            /// The lists of positive ids. Apart from the tree: who writes them touches no signed package.
            case further
            /// The tree that phones download.
            case published
        }

        /// The purpose of the folder.
        package let name: Name
        /// The configuration key that names it.
        package let key: String

        init(_ name: Name, key: String) {
            self.name = name
            self.key = key
        }
    }

    /// A connection from a service to a listener of another service.
    package struct Call: Hashable, Sendable {
        /// How the configuration names the listener.
        package enum Form: Sendable {
            /// One key with a URL.
            case url
            /// Two keys, `.host` and `.port`.
            case hostAndPort
        }

        /// The configuration key.
        package let key: String
        /// How the configuration names the listener.
        package let form: Form
        /// The called service.
        package let service: Service
        /// The called listener.
        package let listener: ListenerName

        init(_ key: String, _ form: Form = .url, to service: Service, _ listener: ListenerName) {
            self.key = key
            self.form = form
            self.service = service
            self.listener = listener
        }
    }
}

extension Catalogue.Service: CustomStringConvertible {
    /// Its name: all that it calls, and whom those call, would be pages.
    package var description: String { name }
}
