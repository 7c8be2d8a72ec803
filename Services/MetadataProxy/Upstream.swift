package import Calling
package import Loop
package import Running
package import TLS

extension HTTPClient {
    /// A service behind the proxy.
    ///
    /// Each core has its own connections, shared by all callers, so that a connection reveals nothing about who asked.
    ///
    /// - Parameters:
    ///   - base: such as `https://verification-server:8010`; `http` is for measurements only.
    ///   - tls: nil for `http`.
    ///   - name: of the service, as metrics call it.
    package static func upstream(
        _ base: String, tls: TLSFiles?, name: String, on cores: Cores = .shared
    ) throws(ConfigurationProblem) -> HTTPClient {
        let client = try HTTPClient(base: base, tls: tls, name: name, on: cores) { peer in
            // More would not make a service faster, but allow it to be flooded.
            peer.connections = 64
            // More are refused at once, so that those that wait are answered in time.
            peer.waiting = 2048
            // A lost SYN is retransmitted after one second.
            peer.connectTime = .seconds(2)
            // The caller repeats its request.
            peer.reconnects = false
        }
        guard client.peer.origin.isSecure == (tls != nil), client.peer.origin.path.isEmpty else {
            throw ConfigurationProblem("\(base) must be a URL such as https://verification-server:8010.")
        }
        return client
    }
}
