package import NIOSSL
package import Running

/// What servers and clients on SwiftNIO need for TLS, made anew when their files change.
package enum ReloadedContext {
    /// For a public server: TLS 1.2 and 1.3, without client certificate.
    ///
    /// - Parameter listener: names it in metrics and log.
    package static func publicServer(
        _ files: TLSFiles, listener: String, protocols: [String]
    ) throws(ConfigurationProblem) -> ReloadedTLS<NIOSSLContext> {
        try ReloadedTLS(files, label: ("listener", listener)) { material in
            var configuration = try material.publicServer()
            configuration.applicationProtocols = protocols
            return try NIOSSLContext(withoutResumption: configuration)
        }
    }

    /// For calls of another of our services: TLS 1.3, own certificate, server's name verified against our authority only.
    ///
    /// - Parameter peer: names it in metrics and log.
    package static func client(
        _ files: TLSFiles, peer: String
    ) throws(ConfigurationProblem) -> ReloadedTLS<NIOSSLContext> {
        try ReloadedTLS(files.ofClient, label: ("peer", peer)) { try NIOSSLContext(configuration: try $0.client()) }
    }

    /// For calls of a server that isn't ours and wants a certificate of us: TLS 1.2 and 1.3, server's name verified against the
    /// authorities of the files, or the system's where there are none.
    ///
    /// - Parameter peer: names it in metrics and log.
    package static func outsideClient(
        _ files: TLSFiles, peer: String, protocols: [String]
    ) throws(ConfigurationProblem) -> ReloadedTLS<NIOSSLContext> {
        try ReloadedTLS(files.ofClient, label: ("peer", peer)) { material in
            var configuration = try material.outsideClient()
            configuration.applicationProtocols = protocols
            return try NIOSSLContext(configuration: configuration)
        }
    }
}
