import FoundationEssentials

/// What stands for something real: simulators of this suite, invented authorities, names that nobody owns.
extension Settings {
    /// A sentence for each setting that has been read and names or trusts such a thing, in the order of their keys.
    ///
    /// It quotes only the name that it has found, which is no secret.
    package var simulated: [String] {
        usedKeys.sorted().compactMap { key in
            guard let value = optionalString(key) else { return nil }
            if !value.hasPrefix("/"), let name = Self.inventedName(in: value) { return "\(key) names \(name)." }
            return trustsInventedAuthority(key, value) ? "\(key) trusts an authority of development." : nil
        }
    }

    /// Refuses a simulated identity provider, whose users and passwords everybody knows, if callers from other machines reach the suite.
    ///
    /// - Parameters:
    ///   - key: the setting that names the provider.
    ///   - addresses: where callers reach the service, besides those of `published.addresses`, which a service in a container can't see by
    ///     itself: with or without scheme and port.
    package func refuseSimulator(_ key: String, publishedAt addresses: [String] = []) throws(ConfigurationProblem) {
        let places = (list("published.addresses") + addresses).filter { !$0.isEmpty }
        guard let simulator = optionalString(key).flatMap(Self.simulator(in:)),
            let place = places.first(where: { !Self.isLoopback($0) })
        else { return }
        throw wrong(
            key,
            "names the simulated identity provider \(simulator), whose passwords everybody knows, and \(place) isn't an address of this "
                + "machine alone: connect the authority's provider, or publish nothing but 127.0.0.1")
    }

    // MARK: Names

    /// The app of trials, for which no store has a version.
    private static let bundleID = "de.rki.coronawarnapp-dev"

    /// Domains that nobody can have (RFC 2606, sections 2 and 3).
    private static let noDomains = ["example", "test", "invalid", "example.com", "example.net", "example.org"]

    private static func simulator(in value: String) -> String? {
        names(in: value).first { $0.hasPrefix("development-") }
    }

    private static func inventedName(in value: String) -> String? {
        if let simulator = simulator(in: value) { return "the simulator \(simulator)" }
        for name in names(in: value) {
            if name == bundleID || name.hasSuffix(".\(bundleID)") { return "\(bundleID), the app of trials" }
            if noDomains.contains(where: { name.hasSuffix(".\($0)") || name == $0 && name.contains(".") }) {
                return "\(name), a name for examples"
            }
        }
        return nil
    }

    /// The parts of URLs, addresses and lists that may be names of hosts or apps.
    private static func names(in value: String) -> [String] {
        value.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }.map { String($0) }
    }

    private static func isLoopback(_ address: String) -> Bool {
        var host = address.split(separator: "/").last.map { String($0) } ?? ""
        let colons = host.count { $0 == ":" }
        if host.hasPrefix("[") {
            host = String(host.dropFirst().prefix { $0 != "]" })
        } else if colons == 1 {
            host = String(host.prefix { $0 != ":" })
        }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return host == "localhost" || host == "::1" || numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }

    // MARK: Authorities

    /// What certificates of development have in their names: `deploy/secrets/prepare.sh` and `vigil certificates` make them.
    private static let inventedAuthorities = ["Vigil development", "Simulated evidence root"]

    /// Whether a setting has peers outside of the suite proved by an authority that the suite made for itself.
    private func trustsInventedAuthority(_ key: String, _ path: String) -> Bool {
        let isAnchor = ["authorities", "roots", "trustAnchor"].contains { key.hasSuffix(".\($0)") }
        guard isAnchor, key != Self.ownAuthorities, let file = Self.contents(path) else { return false }
        if let own = optionalString(Self.ownAuthorities).flatMap(Self.contents), own == file { return true }
        return Self.certificates(in: file).contains { certificate in
            Self.inventedAuthorities.contains { certificate.firstRange(of: Data($0.utf8)) != nil }
        }
    }

    /// Whom services trust among themselves.
    private static let ownAuthorities = "tls.authorities"

    private static func contents(_ path: String) -> String? {
        (try? RegularFile.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of each PEM document.
    private static func certificates(in pem: String) -> [Data] {
        var documents: [Data] = []
        var lines: [Substring]?
        for line in pem.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                lines = []
            } else if line.hasPrefix("-----END ") {
                if let data = lines.flatMap({ Data(base64Encoded: $0.joined()) }) { documents.append(data) }
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return documents
    }
}
