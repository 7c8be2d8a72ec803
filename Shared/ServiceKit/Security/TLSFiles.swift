package import NIOSSL

/// Where a program's certificate, its key and the authorities it trusts lie (PEM files).
package struct TLSFiles: Sendable {
    /// The certificate, then what leads from it to an authority.
    package let certificate: String
    /// The private key of the certificate, without a passphrase.
    package let key: String
    /// The authorities of the other side; nil where no certificate is asked for.
    package let authorities: String?

    /// Paths as they are; nothing is read before a server or client is made of them.
    package init(certificate: String, key: String, authorities: String?) {
        self.certificate = certificate
        self.key = key
        self.authorities = authorities
    }

    /// Reads `tls.certificate`, `tls.key` and `tls.authorities`.
    ///
    /// - Parameters:
    ///   - prefix: stands before the three names.
    ///   - mutual: false for a public listener, which reads no `authorities`.
    package init(
        _ settings: Settings, prefix: String = "tls", mutual: Bool = true
    ) throws(ConfigurationProblem) {
        certificate = try settings.path("\(prefix).certificate")
        key = try settings.path("\(prefix).key")
        authorities = mutual ? try settings.path("\(prefix).authorities") : nil
    }

    /// A server for our own services: TLS 1.3, and a client certificate of our authority.
    func mutualServer() throws(ConfigurationProblem) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain(), privateKey: try privateKey())
        configuration.minimumTLSVersion = .tlsv13
        // In a server this asks for a certificate and refuses a client without one; roles are checked per route.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates(try trusted())
        return try context(configuration)
    }

    /// A server for everybody: TLS 1.2 and 1.3, without client certificate.
    ///
    /// SwiftNIO SSL has no switch for session tickets. Their key exists in this process's memory only and changes every
    /// two days; nothing here reads or counts resumed sessions.
    func publicServer() throws(ConfigurationProblem) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain(), privateKey: try privateKey())
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .none
        _ = try context(configuration)
        return configuration
    }

    /// A client of our own services: TLS 1.3, own certificate, server's name verified against our authority only.
    package func client() throws(ConfigurationProblem) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = try chain()
        configuration.privateKey = try privateKey()
        configuration.minimumTLSVersion = .tlsv13
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(try trusted())
        _ = try context(configuration)
        return configuration
    }

    /// A client that has no certificate and trusts one file of authorities.
    static func anonymousClient(trusting authorities: String) throws(ConfigurationProblem) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(try certificates(in: authorities))
        return configuration
    }

    private func chain() throws(ConfigurationProblem) -> [NIOSSLCertificateSource] {
        try Self.certificates(in: certificate).map { .certificate($0) }
    }

    private func trusted() throws(ConfigurationProblem) -> [NIOSSLCertificate] {
        guard let authorities else {
            throw ConfigurationProblem("tls.authorities is not set; name a PEM file with the authority to trust.")
        }
        return try Self.certificates(in: authorities)
    }

    private static func certificates(in path: String) throws(ConfigurationProblem) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw ConfigurationProblem("\(path) holds no PEM certificate; create it with `vigil certificates`.")
        }
        return certificates
    }

    private func privateKey() throws(ConfigurationProblem) -> NIOSSLPrivateKeySource {
        do {
            return .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        } catch {
            throw ConfigurationProblem("\(key) holds no PEM private key; create it with `vigil certificates`.")
        }
    }

    private func context(_ configuration: TLSConfiguration) throws(ConfigurationProblem) -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw ConfigurationProblem("\(certificate) and \(key) don't belong together.")
        }
    }
}
