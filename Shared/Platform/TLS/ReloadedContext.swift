package import Running

/// The TLS contexts of servers and clients, recreated when their files change.
package enum ReloadedContext {
    /// For a public server: TLS 1.2 and 1.3, without client certificates.
    ///
    /// - Parameter listener: the listener's name in metrics and log.
    package static func publicServer(
        _ files: TLSFiles, listener: String, protocols: [String]
    ) throws(ConfigurationProblem) -> ReloadedTLS<TLSContext> {
        try ReloadedTLS(files, label: ("listener", listener)) { try $0.publicServer(protocols: protocols) }
    }

    /// For calls to our own services: TLS 1.3 with a client certificate; the server's name is verified against our authority
    /// only.
    ///
    /// - Parameter peer: the peer's name in metrics and log.
    package static func client(
        _ files: TLSFiles, peer: String
    ) throws(ConfigurationProblem) -> ReloadedTLS<TLSContext> {
        try ReloadedTLS(files.ofClient, label: ("peer", peer)) { try $0.client() }
    }

    /// For calls to a third party's server that requires a client certificate: TLS 1.2 and 1.3; the server's name is verified
    /// against the authorities of the files, or the system's if there are none.
    ///
    /// - Parameter peer: the peer's name in metrics and log.
    package static func outsideClient(
        _ files: TLSFiles, peer: String, protocols: [String]
    ) throws(ConfigurationProblem) -> ReloadedTLS<TLSContext> {
        try ReloadedTLS(files.ofClient, label: ("peer", peer)) { try $0.outsideClient(protocols: protocols) }
    }
}
