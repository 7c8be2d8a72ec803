package import FoundationEssentials
package import HTTPContract
package import TLS

/// A test authority and the certificates it signed, as files in a temporary directory that is removed at the end.
package final class TestCertificates: Sendable {
    /// The path of the directory.
    package let directory: String
    private let authority: CertificateAuthority
    private let validity: Range<Date>

    /// - Parameter now: the certificates are valid from an hour before to a day after.
    package init(now: Date = Date()) throws {
        validity = now.addingTimeInterval(-3600)..<now.addingTimeInterval(86_400)
        authority = try CertificateAuthority.create(name: "Test authority", validity: validity)
        directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write(authority.certificatePEM, "authority.pem")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The certificate to trust in order to accept this authority's certificates.
    package var authorityPEM: String { authority.certificatePEM }

    /// Creates a certificate for localhost and 127.0.0.1, without writing it to a file.
    ///
    /// - Parameters:
    ///   - role: the holder's role; nil for none.
    ///   - name: the common name.
    ///   - seconds: until it expires; negative if it has.
    package func issue(role: Role?, name: String, for seconds: Double = 7200) throws -> CertificateAuthority.Identity {
        let start = validity.lowerBound
        return try authority.issueLeaf(
            commonName: name, role: role, validity: start..<start.addingTimeInterval(3600 + seconds))
    }

    /// Creates a certificate for localhost and 127.0.0.1, and writes it to files.
    ///
    /// - Parameters:
    ///   - role: the caller's role; nil for none.
    ///   - name: the common name; by default the role's.
    ///   - expired: whether it has already expired.
    ///   - trusting: whose certificates the holder accepts; by default this authority's.
    package func files(
        role: Role?, name: String? = nil, dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1"],
        expired: Bool = false, trusting other: TestCertificates? = nil
    ) throws -> TLSFiles {
        let name = name ?? role?.rawValue ?? "nobody"
        let past = validity.lowerBound..<validity.lowerBound.addingTimeInterval(60)
        let identity = try authority.issueLeaf(
            commonName: name, role: role, dnsNames: dnsNames, ipAddresses: ipAddresses,
            validity: expired ? past : validity)
        let stem = UUID().uuidString
        return TLSFiles(
            certificate: try write(identity.certificatePEM, "\(stem).pem"),
            key: try write(identity.privateKeyPEM, "\(stem).key"),
            authorities: (other ?? self).directory + "/authority.pem")
    }

    @discardableResult
    private func write(_ text: String, _ name: String) throws -> String {
        let path = directory + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }
}
