import FoundationEssentials
package import OutsideCalls
package import Running

/// The source of the identity provider's keys (a JWKS, RFC 7517).
package struct ProviderKeySource: Sendable {
    private let place: Place
    /// The configuration key that leads to it, for messages.
    private let setting: String

    private enum Place: Sendable {
        case file(String)
        case document(OutsideDocument)
        case discovered(@Sendable () async throws -> OutsideDocument)
    }

    /// From a configuration key that names a path or a URL, and for a URL a key that names a file of authorities.
    ///
    /// An attacker who can modify the keys in transit can become an officer. Plain HTTP is therefore allowed for an identity
    /// provider on the same machine only.
    package init(_ settings: Settings, key: String, authorities: String) throws(ConfigurationProblem) {
        setting = key
        let place = try settings.string(key)
        guard place.contains("://") else {
            self.place = .file(try settings.path(key))
            return
        }
        guard let url = URL(string: place), let scheme = url.scheme?.lowercased(), let host = url.host(),
            scheme == "https" || scheme == "http" && ["localhost", "127.0.0.1"].contains(host.lowercased())
        else {
            throw settings.wrong(key, "must be a path or an https URL (http only for localhost or 127.0.0.1)")
        }
        let trusted = settings.optionalString(authorities) == nil ? nil : try settings.path(authorities)
        self.place = .document(try OutsideDocument(url: place, authorities: trusted))
    }

    /// The document that the provider's discovery names at the time of each read.
    ///
    /// - Parameter setting: the configuration key that leads to it.
    package init(discoveredBy setting: String, document: @escaping @Sendable () async throws -> OutsideDocument) {
        self.setting = setting
        place = .discovered(document)
    }

    /// Whether the keys are in a file, which must have them at start.
    package var isFile: Bool {
        if case .file = place { true } else { false }
    }

    /// Reads the set once.
    ///
    /// - Throws: ``ProviderKeyProblem``.
    func read() async throws(ProviderKeyProblem) -> ProviderKeySet {
        let json: Data
        do {
            switch place {
            case .file(let path): json = try Data(contentsOf: URL(filePath: path))
            case .document(let document): json = try await document.read()
            case .discovered(let document): json = try await document().read()
            }
        } catch {
            let fault = (error as? DocumentProblem).map { IdentityFault($0) } ?? .keysUnread
            throw ProviderKeyProblem(setting: setting, fault: fault)
        }
        guard let set = ProviderKeySet(json: json) else {
            throw ProviderKeyProblem(setting: setting, fault: .keySet)
        }
        return set
    }
}

/// Why there is no new key set. It reveals neither the location nor the content.
package struct ProviderKeyProblem: OperatorProblem {
    let setting: String
    let fault: IdentityFault

    package var description: String {
        fault == .keySet
            ? "\(setting) leads to no JWKS with a key to verify with: a `kid`, and RSA of 2048 to 8192 bits or EC P-256."
            : "The identity provider's keys can't be read (\(fault.rawValue)); see \(setting)."
    }
}
