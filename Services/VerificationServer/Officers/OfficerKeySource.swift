import Calling
import FoundationEssentials
import Running

/// The source of the identity provider's keys (a JWKS, RFC 7517).
enum OfficerKeySource: Sendable {
    case file(String)
    case document(OutsideDocument)

    /// From `officers.keys`, and for a URL `officers.authorities`.
    ///
    /// An attacker who can modify the keys in transit can become an officer. Plain HTTP is therefore allowed for an identity
    /// provider on the same machine only.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        let place = try settings.string("officers.keys")
        guard place.contains("://") else {
            self = .file(try settings.path("officers.keys"))
            return
        }
        guard let url = URL(string: place), let scheme = url.scheme?.lowercased(), let host = url.host(),
            scheme == "https" || scheme == "http" && ["localhost", "127.0.0.1"].contains(host.lowercased())
        else {
            throw settings.wrong(
                "officers.keys", "must be a path or an https URL (http only for localhost or 127.0.0.1)")
        }
        let authorities =
            settings.optionalString("officers.authorities") == nil ? nil : try settings.path("officers.authorities")
        self = .document(try OutsideDocument(url: place, authorities: authorities))
    }

    /// Reads the set once.
    func read() async throws -> OfficerKeySet {
        let json: Data
        do {
            switch self {
            case .file(let path): json = try Data(contentsOf: URL(filePath: path))
            case .document(let document): json = try await document.read()
            }
        } catch {
            throw OfficerKeyProblem.unreadable
        }
        return try await OfficerKeySet(json: json)
    }
}

/// Why there is no new key set. It reveals neither the location nor the content.
enum OfficerKeyProblem: OperatorProblem {
    case unreadable
    case noKey

    var description: String {
        switch self {
        case .unreadable: "The identity provider's keys can't be read; see officers.keys."
        case .noKey:
            "officers.keys names no JWKS with a key to verify with: `kid`, and `alg` RS256 (2048 bits at least) or ES256."
        }
    }
}
