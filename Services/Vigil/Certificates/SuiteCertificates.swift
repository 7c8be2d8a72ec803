import Catalogue
import Crypto
package import FoundationEssentials
package import HTTPContract
import SwiftASN1
import TLS
import X509

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
    }

    /// The roles with many holders, each with its own certificate and name.
    package static let partnerRoles: [Role] = [.lab, .quickTest, .pocnat, .contactTracing]

    /// What happened to one certificate.
    package enum Outcome: Hashable, Sendable {
        case kept
        case made
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

    /// Creates certificates that are missing, don't belong to the authority, or expire within 30 days.
    /// - Parameters:
    ///   - force: replaces everything, including the authority.
    ///   - partner: an additional holder; existing partners are renewed without being named.
    /// - Returns: an outcome for each name.
    package func prepare(
        force: Bool = false, adding partner: Holder? = nil
    ) throws -> [(name: String, outcome: Outcome)] {
        if try folder.read(folder.deniedCertificates) == nil {
            try folder.write(Self.emptyList, to: folder.deniedCertificates, mode: 0o644)
        }
        let known = force ? nil : try knownAuthority()
        let authority = try known ?? makeAuthority()
        var outcomes: [(name: String, outcome: Outcome)] = [(Self.authority, known == nil ? .made : .kept)]
        for holder in Self.holders + knownPartners(and: partner) {
            if known != nil, isGood(holder, under: authority) {
                outcomes.append((holder.name, .kept))
            } else {
                try make(holder, by: authority)
                outcomes.append((holder.name, .made))
            }
        }
        return outcomes
    }

    /// The partners whose certificates are in the folder, plus an optional new one.
    private func knownPartners(and partner: Holder?) -> [Holder] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.certificates)) ?? []
        let known = files.filter { $0.hasSuffix(".pem") }.compactMap { file in
            Self.partnerRoles.lazy.compactMap { role in
                let prefix = "\(role.rawValue)-"
                return file.hasPrefix(prefix)
                    ? try? Holder(role: role, partner: String(file.dropFirst(prefix.count).dropLast(4))) : nil
            }.first
        }
        let others = known.filter { $0.name != partner?.name }
        return (others + (partner.map { [$0] } ?? [])).sorted { $0.name < $1.name }
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

    private func make(_ holder: Holder, by authority: CertificateAuthority) throws {
        let identity = try authority.issueLeaf(
            commonName: holder.commonName, role: holder.role,
            dnsNames: holder.isServer ? ["localhost", holder.name] : [],
            ipAddresses: holder.isServer ? ["127.0.0.1", "::1"] : [], validity: validity(Self.leafLifetime))
        // This comes before anybody gets the certificate: once its file has been renewed, an unlisted certificate can't be
        // revoked.
        try note(identity.certificatePEM, of: holder.name)
        try write(holder.name, certificate: identity.certificatePEM, key: identity.privateKeyPEM)
    }

    private func note(_ pem: String, of name: String) throws {
        let certificate = try Certificate(pemEncoded: pem)
        let digest = SHA256.hash(data: try certificate.serializeAsPEM().derBytes)
        let fingerprint = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        let end = certificate.notValidAfter.formatted(.iso8601.year().month().day())
        let before = try folder.read(folder.issuedCertificates).map { "\($0)\n" } ?? ""
        try folder.write(
            "\(before)\(fingerprint.joined(separator: ":")) # \(name) until \(end)\n", to: folder.issuedCertificates,
            mode: 0o644)
    }

    /// Writes the key first: a certificate without its matching key, after an interruption, is detected and replaced.
    private func write(_ name: String, certificate: String, key: String) throws {
        try folder.write(key, to: folder.certificateKey(name))
        try folder.write(certificate, to: folder.certificate(name), mode: 0o644)
    }

    private func isGood(_ holder: Holder, under authority: CertificateAuthority) -> Bool {
        guard let pem = try? folder.read(folder.certificate(holder.name)),
            let keyPEM = try? folder.read(folder.certificateKey(holder.name)),
            let leaf = try? Certificate(pemEncoded: pem), let key = try? Certificate.PrivateKey(pemEncoded: keyPEM),
            let issuer = try? Certificate(pemEncoded: authority.certificatePEM)
        else { return false }
        return leaf.publicKey == key.publicKey && leaf.notValidAfter > now + Self.renewal
            && issuer.publicKey.isValidSignature(leaf.signature, for: leaf)
    }

    /// Starts an hour back, for machines whose clocks are behind.
    private func validity(_ lifetime: TimeInterval) -> Range<Date> {
        now - 3600..<now + lifetime
    }
}
