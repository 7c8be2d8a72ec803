import Catalogue
import Crypto
package import FoundationEssentials
package import HTTPContract
import SwiftASN1
import TLS
package import X509

/// The certificates of a suite on one machine: a private authority, and one certificate for each service and caller.
package struct SuiteCertificates: Sendable {
    /// The holder of a certificate, and the certificate's purpose.
    package struct Holder: Sendable {
        /// The base name of the files.
        package let name: String
        /// The role that determines what the holder may call; nil for the public certificate.
        package let role: Role?
        /// Whether the holder serves others. A mere caller gets no host name, so its certificate can't pose as a service.
        let isServer: Bool
        /// The name in the certificate.
        let commonName: String

        /// Whether it is one of many holders of its role.
        var isPartner: Bool { commonName != name }

        fileprivate init(name: String, role: Role?, isServer: Bool) {
            self.name = name
            self.role = role
            self.isServer = isServer
            commonName = name
        }

        /// Creates one of many holders of the same role: a laboratory or a test centre. Its name keeps its results apart.
        ///
        /// - Parameters:
        ///   - role: one of ``SuiteCertificates/partnerRoles``.
        ///   - partner: 1 to 40 lower-case letters, digits and hyphens, the first no hyphen.
        ///   - Throws: ``CommandFailure``.
        package init(role: Role, partner: String) throws {
            let letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
            guard partnerRoles.contains(role) else {
                throw CommandFailure("\(role.rawValue) has one certificate, which has no name of its own.")
            }
            guard (1...40).contains(partner.count), partner.first != "-", partner.allSatisfy(letters.contains) else {
                throw CommandFailure(
                    "\(partner) is no name: it must have 1 to 40 lower-case letters, digits and hyphens.")
            }
            name = "\(role.rawValue)-\(partner)"
            self.role = role
            isServer = false
            commonName = partner
        }

        /// Creates one of many holders of the same role, as the command line names it.
        ///
        /// - Throws: ``CommandFailure``.
        init(role text: String, partner: String?) throws {
            guard let role = partnerRoles.first(where: { $0.rawValue == text }), let partner else {
                throw CommandFailure("A certificate of its own has a role and a name. The role is \(partnerRoleNames).")
            }
            try self.init(role: role, partner: partner)
        }

        /// Finds a holder by the base name of its files; nil for a name of no holder.
        init?(named name: String) {
            if let known = holders.first(where: { $0.name == name }) {
                self = known
                return
            }
            for role in partnerRoles {
                let prefix = "\(role.rawValue)-"
                guard name.hasPrefix(prefix),
                    let holder = try? Holder(role: role, partner: String(name.dropFirst(prefix.count)))
                else { continue }
                self = holder
                return
            }
            return nil
        }
    }

    /// The roles with many holders, each with its own certificate and name.
    package static let partnerRoles: [Role] = [.lab, .quickTest, .pocnat, .contactTracing, .surveyServer, .logServer]

    /// ``partnerRoles`` in words.
    static let partnerRoleNames =
        partnerRoles.dropLast().map(\.rawValue).joined(separator: ", ") + " or " + (partnerRoles.last?.rawValue ?? "")

    /// What happened to one certificate.
    package enum Outcome: Hashable, Sendable {
        case kept
        case made
        /// It expires within 30 days or isn't the authority's, and its holder has the key: a new one takes another request.
        case due
    }

    /// The authority's file name in the folder.
    package static let authority = "ca"

    /// The holder of the certificate that outside callers see. In production a public authority issues it.
    package static let publicHolder = "public"

    /// All holders: outside callers, services, and PostgreSQL, which is on a network in containers.
    package static let holders: [Holder] =
        Catalogue.outsideRoles.map { Holder(name: $0.rawValue, role: $0, isServer: false) }
        + Catalogue.services.filter(\.hasCertificate).map { Holder(name: $0.name, role: $0.role, isServer: true) }
        + [publicHolder, "postgres"].map { Holder(name: $0, role: nil, isServer: true) }

    private static let day: TimeInterval = 86_400
    private static let authorityLifetime = 3650 * day
    private static let leafLifetime = 365 * day
    /// A certificate that expires sooner is renewed.
    private static let renewal = 30 * day

    private let folder: StateFolder
    private let now: Date

    /// - Parameter now: certificates become valid shortly before it.
    package init(in folder: StateFolder, now: Date) {
        self.folder = folder
        self.now = now
    }

    /// Creates certificates that are missing, don't belong to the authority, have other names than they should, or expire within 30
    /// days.
    /// - Parameters:
    ///   - force: replaces everything, including the authority.
    ///   - partner: an additional holder; existing partners are renewed without being named.
    ///   - names: under which callers outside reach services. They replace those that were given before; without any, those stay.
    /// - Returns: an outcome for each name.
    package func prepare(
        force: Bool = false, adding partner: Holder? = nil, naming names: [OutsideName] = []
    ) throws -> [(name: String, outcome: Outcome)] {
        if try folder.read(folder.deniedCertificates) == nil {
            try folder.write(Self.emptyList, to: folder.deniedCertificates, mode: 0o644)
        }
        let names = try names.isEmpty ? knownNames() : replaceNames(by: names)
        let known = force ? nil : try knownAuthority()
        let authority = try known ?? makeAuthority()
        var outcomes: [(name: String, outcome: Outcome)] = [(Self.authority, known == nil ? .made : .kept)]
        for holder in Self.holders + knownPartners(and: partner) {
            let isByRequest = holder.isPartner && Self.isByRequest(holder.name, in: folder)
            if known != nil, isGood(holder, named: names, under: authority) {
                outcomes.append((holder.name, .kept))
            } else if isByRequest {
                outcomes.append((holder.name, .due))
            } else {
                try make(holder, named: names, by: authority)
                outcomes.append((holder.name, .made))
            }
            try writeNotes(for: holder, naming: names, hasKey: !isByRequest)
        }
        return outcomes
    }

    /// Makes a certificate for a key that its holder keeps. A certificate that the holder had before stays valid until it expires.
    /// - Returns: its last second.
    /// - Throws: ``CommandFailure`` if there is no authority.
    package func sign(_ key: Certificate.PublicKey, for partner: Holder) throws -> Date {
        guard let authority = try knownAuthority() else {
            throw CommandFailure(
                "\(folder.path) has no authority that is valid for a month: make one with `vigil certificates`.")
        }
        let pem = try authority.issueLeaf(
            for: key, commonName: partner.commonName, role: partner.role, validity: validity(Self.leafLifetime))
        try note(pem, of: partner.name)
        // First: a certificate beside a key that isn't its own would be replaced.
        try folder.remove(folder.certificateKey(partner.name))
        try folder.write(pem, to: folder.certificate(partner.name), mode: 0o644)
        try writeNotes(for: partner, naming: knownNames(), hasKey: false)
        return try Certificate(pemEncoded: pem).notValidAfter
    }

    /// Whether a holder has its key itself. The key is written before the certificate, so no interruption leaves the same traces.
    static func isByRequest(_ name: String, in folder: StateFolder) -> Bool {
        Holder(named: name)?.isPartner == true && FileManager.default.fileExists(atPath: folder.certificate(name))
            && !FileManager.default.fileExists(atPath: folder.certificateKey(name))
    }

    /// SHA-256 in hexadecimal digits, as people read it to each other.
    static func fingerprint(of certificate: Certificate) -> String {
        SHA256.hash(data: certificate.derBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            .joined(separator: ":")
    }

    /// The partners whose certificates are in the folder, plus an optional new one.
    private func knownPartners(and partner: Holder?) -> [Holder] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.certificates)) ?? []
        let known = files.filter { $0.hasSuffix(".pem") }.compactMap { Holder(named: String($0.dropLast(4))) }
        let others = known.filter { $0.isPartner && $0.name != partner?.name }
        return (others + (partner.map { [$0] } ?? [])).sorted { $0.name < $1.name }
    }

    // MARK: Names outside

    private func knownNames() throws -> [OutsideName] {
        try (folder.read(folder.outsideNames) ?? "").split(separator: "\n").map { try OutsideName(String($0)) }
    }

    private func replaceNames(by names: [OutsideName]) throws -> [OutsideName] {
        try folder.write(names.map { "\($0)\n" }.joined(), to: folder.outsideNames, mode: 0o644)
        return names
    }

    /// Every name of a holder: those within the suite, and those that it has outside.
    private func hosts(of holder: Holder, named names: [OutsideName]) -> (names: [String], addresses: [String]) {
        guard holder.isServer else { return ([], []) }
        let own = names.filter { $0.service == holder.name }
        return (
            ["localhost", holder.name] + own.filter { !$0.isAddress }.map(\.host),
            ["127.0.0.1", "::1"] + own.filter(\.isAddress).map(\.host)
        )
    }

    /// What a caller outside is told. It is written anew when a name has changed.
    private func writeNotes(for holder: Holder, naming names: [OutsideName], hasKey: Bool) throws {
        guard let notes = CallerNotes(holder, names: names, hasKey: hasKey) else { return }
        try folder.write(notes.text, to: folder.callerNotes(holder.name), mode: 0o644)
    }

    private static let emptyList = """
        # Certificates that no listener accepts: one SHA-256 fingerprint a line, as the file `issued` has it, or
        # `openssl x509 -noout -fingerprint -sha256`. Services look every ten seconds.

        """

    /// The existing authority; nil if there is none, or if it expires soon.
    private func knownAuthority() throws -> CertificateAuthority? {
        let files = (folder.certificate(Self.authority), folder.certificateKey(Self.authority))
        let (certificate, key) = (try folder.read(files.0), try folder.read(files.1))
        guard certificate != nil || key != nil else { return nil }
        guard let certificate, let key else {
            // A first start that was killed between the two: nobody has a certificate of this authority yet.
            if certificate == nil, try folder.read(folder.issuedCertificates) == nil { return nil }
            throw CommandFailure(
                "Of the authority only \(certificate == nil ? files.1 : files.0) is there: put the other half "
                    + "back, or make all certificates anew with `vigil certificates --force`."
            )
        }
        let authority = try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
        return try Certificate(pemEncoded: certificate).notValidAfter > now + Self.renewal ? authority : nil
    }

    private func makeAuthority() throws -> CertificateAuthority {
        let authority = try CertificateAuthority.create(
            name: "Vigil private authority", validity: validity(Self.authorityLifetime))
        try write(Self.authority, certificate: authority.certificatePEM, key: authority.privateKeyPEM)
        return authority
    }

    private func make(_ holder: Holder, named names: [OutsideName], by authority: CertificateAuthority) throws {
        let hosts = hosts(of: holder, named: names)
        let identity = try authority.issueLeaf(
            commonName: holder.commonName, role: holder.role, dnsNames: hosts.names, ipAddresses: hosts.addresses,
            validity: validity(Self.leafLifetime))
        // This comes before anybody gets the certificate: once its file has been renewed, an unlisted certificate can't be
        // revoked.
        try note(identity.certificatePEM, of: holder.name)
        try write(holder.name, certificate: identity.certificatePEM, key: identity.privateKeyPEM)
    }

    private func note(_ pem: String, of name: String) throws {
        let certificate = try Certificate(pemEncoded: pem)
        let end = certificate.notValidAfter.formatted(.iso8601.year().month().day())
        let before = try folder.read(folder.issuedCertificates).map { "\($0)\n" } ?? ""
        try folder.write(
            "\(before)\(Self.fingerprint(of: certificate)) # \(name) until \(end)\n", to: folder.issuedCertificates,
            mode: 0o644)
    }

    /// Writes the key first: a certificate without its matching key, after an interruption, is detected and replaced.
    private func write(_ name: String, certificate: String, key: String) throws {
        try folder.write(key, to: folder.certificateKey(name))
        try folder.write(certificate, to: folder.certificate(name), mode: 0o644)
    }

    private func isGood(_ holder: Holder, named names: [OutsideName], under authority: CertificateAuthority) -> Bool {
        guard let pem = try? folder.read(folder.certificate(holder.name)),
            let leaf = try? Certificate(pemEncoded: pem),
            let issuer = try? Certificate(pemEncoded: authority.certificatePEM),
            let alternatives = try? leaf.extensions.subjectAlternativeNames
        else { return false }
        let hosts = hosts(of: holder, named: names)
        let wanted =
            hosts.names.map { GeneralName.dnsName($0) }
            + hosts.addresses.compactMap { IPAddress.bytes($0) }
            .map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
            + (holder.role.map { [.uniformResourceIdentifier($0.certificateURI)] } ?? [])
        return Set(alternatives) == Set(wanted) && leaf.notValidAfter > now + Self.renewal
            && issuer.publicKey.isValidSignature(leaf.signature, for: leaf) && hasKey(holder, of: leaf)
    }

    /// Whether a certificate is for the holder's key, or for one that the holder keeps.
    private func hasKey(_ holder: Holder, of leaf: Certificate) -> Bool {
        guard let pem = try? folder.read(folder.certificateKey(holder.name)) else {
            return Self.isByRequest(holder.name, in: folder)
        }
        return (try? Certificate.PrivateKey(pemEncoded: pem))?.publicKey == leaf.publicKey
    }

    /// Starts an hour back, for machines whose clocks are behind.
    private func validity(_ lifetime: TimeInterval) -> Range<Date> {
        now - 3600..<now + lifetime
    }
}
