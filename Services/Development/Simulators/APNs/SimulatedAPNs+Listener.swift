package import Serving
package import TLS

extension SimulatedAPNs {
    /// A port on which the simulated service listens, as Apple's two hosts do: TLS 1.2 or later, HTTP/2 only.
    ///
    /// A client certificate is optional; without one a provider token is required.
    ///
    /// - Parameters:
    ///   - name: the listener's.
    ///   - files: its certificate, and the authorities of client certificates, if it accepts any.
    package func listener(_ name: String, host: String, port: Int, tls files: TLSFiles) -> Listener {
        var limits = Limits.inner
        limits.connections = 4096
        limits.otherFiles = 256
        return Listener(
            name: name, host: host, port: port, security: .optionalTLS(files), limits: limits, protocols: ["h2"]
        ) { [self] connection in
            SimulatedConnection(self, connection)
        }
    }
}
