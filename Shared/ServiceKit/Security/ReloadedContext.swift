package import NIOSSL

/// What servers and clients on SwiftNIO need for TLS, made anew when their files change.
package enum ReloadedContext {
    /// For a server that everybody may call: TLS 1.2 and 1.3, without client certificate.
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
        try ReloadedTLS(files, label: ("peer", peer)) { try NIOSSLContext(configuration: try $0.client()) }
    }
}
