package import HTTPContract
package import Schema

extension Catalogue {
    /// One process of a suite.
    package struct Service: Hashable, Sendable {
        /// Names the process, its container, certificate, log and configuration file.
        package let name: String
        /// The executable; several processes may run the same one.
        package let executable: String
        /// What the executable is told to do, if it can do several things.
        package let subcommand: [String]
        /// Whether it stands for an outside peer. No production image contains such a program.
        package let isSimulator: Bool
        /// What its certificate says; nil if it calls no other service.
        package let role: Role?
        /// All it listens on but the admin port.
        package let listeners: [Listener]
        /// The port for `/health`, `/ready` and `/metrics`, on the loopback address.
        package let admin: Port
        /// The port for a Prometheus elsewhere, by mutual TLS; nil if none watches it.
        package let metrics: Port?
        /// The database, if it has tables of its own.
        package let database: Database?
        /// The secrets that only this service reads.
        package let secrets: [Secret]
        /// The folders it shares with others, or that outlive it.
        package let volumes: [Volume]
        /// The listeners that it connects to.
        package let calls: [Call]
        /// The container of an outside program that takes its place in docker-compose.yml.
        package let standIn: String?

        init(
            _ name: String, executable: String? = nil, _ subcommand: String..., isSimulator: Bool = false,
            role: Role?, listeners: [Listener], admin: Port, metrics: Port? = nil, database: Database? = nil,
            secrets: [Secret] = [],
            volumes: [Volume] = [], calls: [Call] = [], standIn: String? = nil
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
            self.standIn = standIn
        }

        /// Whether it has a certificate of the private authority.
        package var hasCertificate: Bool {
            role != nil || metrics != nil
                || listeners.contains { $0.security == .mutualTLS || $0.security == .privateTLS }
        }

        /// Whether it has a listener whose certificate is of a public authority.
        package var hasPublicCertificate: Bool { listeners.contains { $0.security == .publicTLS } }

        /// A listener by its name.
        package func listener(_ name: ListenerName) -> Listener? { listeners.first { $0.name == name } }
    }

    /// A service's login role and what it reads of other services.
    package struct Database: Hashable, Sendable {
        /// Its login role, which owns a schema's rows but no table.
        package let role: DatabaseRole
        /// Tables of other services' schemas that it may read, each as `schema.table`.
        package let reads: Set<String>

        init(_ role: DatabaseRole, reads: Set<String> = []) {
            self.role = role
            self.reads = reads
        }
    }

    /// A secret in a file of its own, which one service reads.
    package struct Secret: Hashable, Sendable {
        /// How it is made.
        package enum Kind: Sendable {
            /// 32 random bytes in hexadecimal digits.
            case hexadecimal
            /// A P-256 private key in PEM.
            case privateKey
        }

        /// The file's name.
        package let file: String
        /// The configuration key that names the file.
        package let key: String
        /// What stands before the path in the setting.
        package let prefix: String
        /// How it is made.
        package let kind: Kind

        init(_ kind: Kind, _ file: String, key: String, prefix: String = "") {
            self.kind = kind
            self.file = file
            self.key = key
            self.prefix = prefix
        }
    }

    /// A folder that a service is given.
    package struct Volume: Hashable, Sendable {
        /// What the folder is for.
        package enum Name: String, Sendable {
            /// The private keys of open hours. It must never be backed up.
            case hourKeys = "hour-keys"
            /// The tree that phones download.
            case published
        }

        /// What the folder is for.
        package let name: Name
        /// The configuration key that names it.
        package let key: String

        init(_ name: Name, key: String) {
            self.name = name
            self.key = key
        }
    }

    /// A connection from a service to a listener of another one.
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
        /// The service that is called.
        package let service: Service
        /// The listener that is called.
        package let listener: ListenerName

        init(_ key: String, _ form: Form = .url, to service: Service, _ listener: ListenerName) {
            self.key = key
            self.form = form
            self.service = service
            self.listener = listener
        }
    }
}
