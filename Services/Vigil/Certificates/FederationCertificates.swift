import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

/// The certificates with which a country joins a federation's gateway: one for TLS, one for the signatures of batches, each signed
/// by its own key.
///
/// The gateway's operator knows each by its fingerprint, so none is replaced unless somebody asks for it
/// (efgs-federation-gateway, `docs/software-design.md`, onboarding).
package struct FederationCertificates: Sendable {
    /// Whose certificates they are. The gateway's operator checks each part.
    package struct Subject: Sendable {
        /// Two capital letters. It stands first: the operator's tools look there.
        let country: String
        let organisation: String
        let unit: String
        /// Somebody reads it at all hours.
        let email: String

        /// - Throws: ``CommandFailure``.
        package init(country: String, organisation: String, unit: String, email: String) throws {
            guard country.utf8.count == 2, country.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains)
            else {
                throw CommandFailure("\(country) is no country: it must be two capital letters (ISO 3166-1).")
            }
            for name in [organisation, unit] where !(1...64).contains(name.unicodeScalars.count) {
                throw CommandFailure("\(name) is no name: it must have 1 to 64 characters.")
            }
            // The gateway decodes the subject that its load balancer passes on, and fails at a percent sign
            // (`CertificateAuthentificationFilter` of efgs-federation-gateway).
            for text in [organisation, unit, email] where text.utf8.contains(UInt8(ascii: "%")) {
                throw CommandFailure(
                    "\(text) has a percent sign, which the European gateway can't read in a certificate.")
            }
            guard (3...128).contains(email.utf8.count), email.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                email.split(separator: "@", omittingEmptySubsequences: false).count == 2
            else {
                throw CommandFailure("\(email) is no address of e-mail.")
            }
            self.country = country
            self.organisation = organisation
            self.unit = unit
            self.email = email
        }
    }

    /// One certificate.
    package struct Made: Sendable {
        /// The base name of its file.
        package let name: String
        /// Whether it was there before.
        package let isKept: Bool
        /// SHA-256 in hexadecimal digits, as people read it to each other.
        package let fingerprint: String
        /// Its last second.
        package let end: Date
    }

    /// The file name of the certificate for batches.
    package static let signing = "federation-signing"
    /// The file name of the certificate for TLS with the gateway.
    package static let gateway = "federation-gateway"
    /// The file name of the simulated gateway's trust anchor.
    package static let anchor = "gateway-anchor"

    private static let lifetime: TimeInterval = 365 * 86_400
    /// A certificate for development that expires sooner is renewed.
    private static let renewal: TimeInterval = 30 * 86_400

    private let folder: StateFolder
    private let now: Date

    /// - Parameter now: certificates are valid for a year from then.
    package init(in folder: StateFolder, now: Date) {
        self.folder = folder
        self.now = now
    }

    /// Makes both certificates, for the keys among the secrets. What exists is kept.
    /// - Parameters:
    ///   - anchor: makes that of the simulated gateway's trust anchor, too.
    ///   - force: makes them anew.
    package func prepare(_ subject: Subject, anchor: Bool = false, force: Bool = false) throws -> [Made] {
        let names = [Self.signing, Self.gateway] + (anchor ? [Self.anchor] : [])
        // From an hour back, for gateways whose clocks are behind.
        return try names.map { try prepare($0, subject, from: now - 3600, force: force) }
    }

    /// Makes certificates with invented names, and that of the simulated gateway's trust anchor. They are renewed, too: the
    /// simulated operator takes what it finds.
    package func prepareForDevelopment(of country: String = "DE") throws {
        let subject = try Subject(
            country: country, organisation: "Vigil development", unit: "Federation", email: "federation@example.org")
        for name in [Self.signing, Self.gateway, Self.anchor] {
            let known = try known(name)
            let isOld = known.map { $0.notValidAfter < now + Self.renewal } ?? false
            // From ten years back, for rehearsals in the past.
            _ = try prepare(name, subject, from: now - 10 * Self.lifetime, force: isOld)
        }
    }

    private func prepare(_ name: String, _ subject: Subject, from start: Date, force: Bool) throws -> Made {
        let known = force ? nil : try known(name)
        let certificate = try known ?? make(name, subject, from: start)
        let digest = SHA256.hash(data: try certificate.serializeAsPEM().derBytes)
        return Made(
            name: name, isKept: known != nil,
            fingerprint: digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
                .joined(separator: ":"), end: certificate.notValidAfter)
    }

    /// The certificate that is there.
    private func known(_ name: String) throws -> Certificate? {
        guard let pem = try folder.read(folder.certificate(name)) else { return nil }
        guard let certificate = try? Certificate(pemEncoded: pem),
            try certificate.publicKey == key(name).publicKey
        else {
            throw CommandFailure(
                "\(folder.certificate(name)) isn't the certificate of \(folder.secret("\(name).key")): put the right one back, "
                    + "or make both anew with `vigil federation-certificates --force`.")
        }
        return certificate
    }

    private func make(_ name: String, _ subject: Subject, from start: Date) throws -> Certificate {
        let key = try key(name)
        let distinguishedName = try DistinguishedName {
            CountryName(subject.country)
            OrganizationName(subject.organisation)
            OrganizationalUnitName(subject.unit)
            CommonName("\(subject.country) \(name)")
            EmailAddress(subject.email)
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: start, notValidAfter: now + Self.lifetime, issuer: distinguishedName,
            subject: distinguishedName, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                if name == Self.gateway {
                    // OpenSSL before 3.0 builds no chain to a certificate that signs itself if its key usage is another one than for
                    // certificates: a gateway that trusts this one as it is would refuse it.
                    try ExtendedKeyUsage([.clientAuth])
                } else {
                    Critical(KeyUsage(digitalSignature: true))
                }
                SubjectKeyIdentifier(hash: key.publicKey)
            }, issuerPrivateKey: key)
        // The last line end is part of what the operator signs.
        try folder.write(
            try certificate.serializeAsPEM().pemString + "\n", to: folder.certificate(name), mode: 0o644)
        return certificate
    }

    private func key(_ name: String) throws -> Certificate.PrivateKey {
        Certificate.PrivateKey(try SuiteSecrets.privateKey("\(name).key", in: folder))
    }
}
