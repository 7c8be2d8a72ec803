package import Running

/// Where the identity provider puts an officer's roles into an access token.
///
/// Keycloak has them in `realm_access.roles`; other providers in `roles` or `groups`, or in a claim whose name is an address.
package struct RolesClaim: Hashable, Sendable {
    /// What is between the dots.
    private let parts: [String]

    /// From a configuration key, by default Keycloak's `realm_access.roles`. Dots separate the members.
    package init(_ settings: Settings, key: String) throws(ConfigurationProblem) {
        guard let claim = Self(path: settings.string(key, default: "realm_access.roles")) else {
            throw settings.wrong(key, "must be the names of members with dots between, such as realm_access.roles")
        }
        self = claim
    }

    /// Nil if a member's name is empty.
    package init?(path: String) {
        parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    }

    /// The roles in a token's claims; those that nobody here knows are left out.
    ///
    /// They are an array of strings, or the names of objects in an object, as at ZITADEL. A member's own name may have dots, as
    /// `https://authority.example/roles` does: of the members that a path may mean, the one with the longest name counts.
    package func roles(in claims: ClaimTree) -> Set<OfficerRole> {
        let names: [String] =
            switch claims.value(at: parts[...]) {
            case .texts(let texts): texts
            case .members(let members): members.filter { $0.value.isObject }.map(\.key)
            case .other, nil: []
            }
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

    fileprivate var isObject: Bool {
        if case .members = self { true } else { false }
    }

    /// What a path leads to, of which each member's name takes as many parts as there is a member for.
    fileprivate func value(at parts: ArraySlice<String>) -> ClaimTree? {
        guard !parts.isEmpty else { return self }
        guard case .members(let members) = self else { return nil }
        for count in stride(from: parts.count, through: 1, by: -1) {
            if let member = members[parts.prefix(count).joined(separator: ".")] {
                return member.value(at: parts.dropFirst(count))
            }
        }
        return nil
    }
}
