import FoundationEssentials
package import Running

/// The paths of a program's certificate, its key and the trusted authorities (PEM files).
package struct TLSFiles: Sendable {
    /// The certificate, followed by the chain to an authority.
    package let certificate: String
    /// The private key of the certificate, without a passphrase.
    package let key: String
    /// The authorities of the other side; nil if no certificate is required.
    package let authorities: String?
    /// The list of callers' certificates that are refused although an authority has signed them; nil for none.
    package let denied: String?

    /// Stores the paths. Nothing is read until a server or client is created from them.
    package init(certificate: String, key: String, authorities: String?, denied: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.authorities = authorities
        self.denied = denied
    }

    /// Reads `tls.certificate`, `tls.key`, `tls.authorities` and `tls.denied`.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the names.
    ///   - mutual: false for a public listener, which reads neither `authorities` nor `denied`.
    package init(
        _ settings: Settings, prefix: String = "tls", mutual: Bool = true
    ) throws(ConfigurationProblem) {
        certificate = try settings.path("\(prefix).certificate")
        key = try settings.path("\(prefix).key")
        authorities = mutual ? try settings.path("\(prefix).authorities") : nil
        let isListed = mutual && settings.optionalString("\(prefix).denied") != nil
        denied = isListed ? try settings.path("\(prefix).denied") : nil
    }

    /// Reads the settings' names without their values, so that they aren't among ``Settings/unusedKeys``.
    package static func know(_ settings: Settings) {
        for name in ["certificate", "key", "authorities", "denied"] { _ = settings.optionalString("tls.\(name)") }
    }

    /// The same for a client, which has no callers.
    package var ofClient: TLSFiles {
        TLSFiles(certificate: certificate, key: key, authorities: authorities)
    }

    /// A client of our own services: TLS 1.3 with a client certificate; the server's name is verified against our authority
    /// only.
    ///
    /// It doesn't change with its files; use ``ReloadedContext`` to notice changes.
    package func client() throws(ConfigurationProblem) -> TLSContext {
        do {
            return try TLSMaterial(contents()).client()
        } catch {
            throw problem(error)
        }
    }

    /// A server that simulates another party's: TLS 1.2 and 1.3; it asks for a client certificate if there are authorities, and goes
    /// on without.
    ///
    /// It doesn't change with its files.
    package func optionalServer(protocols: [String]) throws(ConfigurationProblem) -> TLSContext {
        do {
            return try TLSMaterial(contents()).optionalServer(protocols: protocols)
        } catch {
            throw problem(error)
        }
    }

    /// A client without a certificate that trusts one file of authorities, which is read now.
    package static func anonymousClient(
        trusting authorities: String, protocols: [String] = []
    ) throws(ConfigurationProblem) -> TLSContext {
        do {
            return try TLSMaterial.anonymousClient(trusting: bytes(of: authorities), protocols: protocols)
        } catch {
            throw ConfigurationProblem("\(authorities) holds no PEM certificate; create it with `vigil certificates`.")
        }
    }

    /// A client without a certificate that trusts this machine's authorities.
    package static func anonymousClient(protocols: [String] = []) throws(ConfigurationProblem) -> TLSContext {
        do {
            return try TLSContext.client(nil, trusting: .system, minimum: .tls12, protocols: protocols)
        } catch {
            throw ConfigurationProblem("This machine's certificate authorities can't be read.")
        }
    }

    /// The current content of the files; an unreadable file counts as empty.
    func contents() -> TLSContents {
        TLSContents(
            certificate: Self.bytes(of: certificate), key: Self.bytes(of: key),
            authorities: authorities.map { Self.bytes(of: $0) }, denied: denied.map { Self.bytes(of: $0) })
    }

    /// A flaw as the error that the operator sees when a program starts.
    func problem(_ flaw: TLSFlaw) -> ConfigurationProblem {
        switch flaw {
        case .certificate:
            ConfigurationProblem("\(certificate) holds no PEM certificate; create it with `vigil certificates`.")
        case .key:
            ConfigurationProblem("\(key) holds no PEM private key; create it with `vigil certificates`.")
        case .authorities:
            ConfigurationProblem(
                authorities.map { "\($0) holds no PEM certificate; create it with `vigil certificates`." }
                    ?? "tls.authorities is not set; name a PEM file with the authority to trust.")
        case .denied:
            ConfigurationProblem(
                "\(denied ?? "tls.denied") must have a line, and each must be a certificate's SHA-256 fingerprint or begin with #."
            )
        case .pair:
            ConfigurationProblem("\(certificate) and \(key) don't belong together.")
        case .expired:
            ConfigurationProblem("\(certificate) has expired; create a new one.")
        case .library:
            ConfigurationProblem(
                "This machine's OpenSSL can't do what the suite needs; install libssl3 of Debian 12 or later.")
        }
    }

    private static func bytes(of path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) } ?? []
    }
}
