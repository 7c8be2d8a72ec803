import FoundationEssentials
import Running
import StrictJSON

/// Everybody whom the provider knows, and its own name and key.
package struct Registry: Sendable {
    /// The provider's name in tokens, and the base of its addresses.
    package let issuer: String
    /// What it signs tokens with.
    let key: SigningKey
    private let clients: [String: Client]
    private let users: [String: User]

    /// Creates a registry from its parts.
    package init(issuer: String, key: SigningKey, clients: [Client], users: [User] = User.development) {
        self.issuer = issuer
        self.key = key
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
        self.users = Dictionary(users.map { ($0.name, $0) }) { first, _ in first }
    }

    /// From `issuer`, `signing.key`, `signing.keySet`, `clients` and `users`.
    init(_ settings: Settings) throws {
        let names = settings.list("clients")
        guard !names.isEmpty else { throw settings.missing("clients") }
        self.init(
            issuer: try settings.url("issuer"), key: try SigningKey(settings),
            clients: try names.map { try Client(settings, name: $0) },
            users: try Self.users(settings) ?? User.development)
    }

    private static func users(_ settings: Settings) throws -> [User]? {
        guard settings.optionalString("users") != nil else { return nil }
        let path = try settings.path("users")
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let users = try? StrictJSON.decode([User].self, from: data), users.allSatisfy({ $0.secretBytes != nil })
        else {
            throw settings.wrong(
                "users", "names \(path), which must hold a list of users in JSON, each with a secret in base 32")
        }
        return users
    }

    /// The client of an identifier.
    func client(_ id: String?) -> Client? { id.flatMap { clients[$0] } }

    /// The user of a log-in name.
    func user(_ name: String) -> User? { users[name] }

    /// The origins of all addresses to which clients want people to be sent back.
    var clientOrigins: [String] {
        let addresses = clients.values.flatMap { $0.redirectURIs + $0.logoutRedirectURIs }
        return Set(addresses.compactMap { Self.origin(of: $0) }).sorted()
    }

    private static func origin(of address: String) -> String? {
        guard let url = URL(string: address), let scheme = url.scheme, let host = url.host() else { return nil }
        return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }
}
