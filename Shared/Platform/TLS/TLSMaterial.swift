import NIOCore
package import NIOSSL
package import Running

/// The TLS context of a listener for our own services and partners.
package struct MutualServer: Sendable {
    /// The context for every handshake from now on.
    package let context: NIOSSLContext
    private let denied: DeniedCertificates

    init(context: NIOSSLContext, denied: DeniedCertificates) {
        self.context = context
        self.denied = denied
    }

    /// Whether a caller's certificate is denied, by its fingerprint.
    ///
    /// A nil fingerprint is denied, although no handshake allows it.
    package func denies(_ fingerprint: [UInt8]?) -> Bool {
        fingerprint.map { denied.contains($0) } ?? true
    }
}

/// A certificate, its key and the trusted authorities, as the files had them at one time.
package struct TLSMaterial: Sendable {
    private let chain: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey
    private let authorities: [NIOSSLCertificate]?
    private let denied: DeniedCertificates

    /// When the certificate itself expires, in seconds since the epoch.
    let expiry: Int

    init(_ contents: TLSContents) throws(TLSFlaw) {
        guard let chain = Self.certificates(in: contents.certificate), let own = chain.first else {
            throw .certificate
        }
        guard let key = try? NIOSSLPrivateKey(bytes: contents.key, format: .pem) else { throw .key }
        self.chain = chain
        self.key = key
        expiry = Int(own.notValidAfter)
        if let bytes = contents.authorities {
            guard let trusted = Self.certificates(in: bytes) else { throw .authorities }
            authorities = trusted
        } else {
            authorities = nil
        }
        denied = try contents.denied.map { bytes throws(TLSFlaw) in try DeniedCertificates(bytes) } ?? .none
    }

    /// A server for our own services: TLS 1.3, and client certificates of our authority.
    package func mutualServer() throws(TLSFlaw) -> MutualServer {
        var configuration = serverConfiguration()
        configuration.minimumTLSVersion = .tlsv13
        // In a server this requires a client certificate; roles are checked per route.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates(try trusted())
        do {
            return MutualServer(context: try NIOSSLContext(withoutResumption: configuration), denied: denied)
        } catch {
            throw error as? TLSFlaw ?? .pair
        }
    }

    /// A public server: TLS 1.2 and 1.3, without client certificates.
    package func publicServer() throws(TLSFlaw) -> TLSConfiguration {
        var configuration = serverConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = NIOTLSCipher.publicServer
        configuration.certificateVerification = .none
        _ = try context(configuration)
        return configuration
    }

    /// A client of our own services: TLS 1.3 with a client certificate; the server's name is verified against our authority
    /// only.
    package func client() throws(TLSFlaw) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
        configuration.minimumTLSVersion = .tlsv13
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(try trusted())
        _ = try context(configuration)
        return configuration
    }

    /// A client of a third party's server: TLS 1.2 and 1.3 with a client certificate; the server's name is verified.
    package func outsideClient() throws(TLSFlaw) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if let authorities { configuration.trustRoots = .certificates(authorities) }
        _ = try context(configuration)
        return configuration
    }

    /// A client without a certificate that trusts one file of authorities.
    static func anonymousClient(trusting contents: [UInt8]) throws(TLSFlaw) -> TLSConfiguration {
        guard let authorities = certificates(in: contents) else { throw .authorities }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(authorities)
        return configuration
    }

    private func serverConfiguration() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        // Until then, the library keeps the whole state of a connection whose client disappeared silently, and a stopping
        // service waits for such connections.
        configuration.shutdownTimeout = .seconds(1)
        return configuration
    }

    private func trusted() throws(TLSFlaw) -> [NIOSSLCertificate] {
        guard let authorities else { throw .authorities }
        return authorities
    }

    private func context(_ configuration: TLSConfiguration) throws(TLSFlaw) -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .pair
        }
    }

    /// Nil unless there is at least one certificate, and each is complete.
    private static func certificates(in pem: [UInt8]) -> [NIOSSLCertificate]? {
        let text = String(decoding: pem, as: UTF8.self)
        let ends = text.split(separator: "-----END ", omittingEmptySubsequences: false).count - 1
        let begins = text.split(separator: "-----BEGIN ", omittingEmptySubsequences: false).count - 1
        guard begins == ends, let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty
        else { return nil }
        return certificates
    }
}
