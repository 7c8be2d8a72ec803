package import Running

/// Where the identity provider puts an officer's roles into an access token.
///
/// Keycloak has them in `realm_access.roles`; other providers in `roles` or `groups`.
package struct RolesClaim: Hashable, Sendable {
    let members: [String]

    /// From a configuration key, by default Keycloak's `realm_access.roles`. Dots separate the members.
    package init(_ settings: Settings, key: String) throws(ConfigurationProblem) {
        guard let claim = Self(path: settings.string(key, default: "realm_access.roles")) else {
            throw settings.wrong(key, "must be the names of members with dots between, such as realm_access.roles")
        }
        self = claim
    }

    /// Nil if a member's name is empty.
    package init?(path: String) {
        members = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard members.allSatisfy({ !$0.isEmpty }) else { return nil }
    }

    /// The roles in a token's claims; those that nobody here knows are left out, and anything but an array of strings has none.
    package func roles(in claims: ClaimTree) -> Set<OfficerRole> {
        var tree: ClaimTree? = claims
        for member in members { tree = tree?[member] }
        guard case .texts(let names) = tree else { return [] }
        return Set(names.compactMap(OfficerRole.init(rawValue:)))
    }
}

/// A token's claims as a tree, as far as a claim with a configured name needs it.
package enum ClaimTree: Sendable, Decodable {
    /// An object.
    case members([String: ClaimTree])
    /// An array of strings.
    case texts([String])
    /// Anything else.
    case other

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let members = try? container.decode([String: ClaimTree].self) {
            self = .members(members)
        } else if let texts = try? container.decode([String].self) {
            self = .texts(texts)
        } else {
            self = .other
        }
    }

    /// A member of an object; nil if there is none.
    subscript(name: String) -> ClaimTree? {
        guard case .members(let members) = self else { return nil }
        return members[name]
    }
}
