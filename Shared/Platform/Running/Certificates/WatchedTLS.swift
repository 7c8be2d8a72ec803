package import FoundationEssentials

/// TLS files in use by one listener or one client, whatever it makes of them.
package protocol WatchedTLS: Sendable {
    /// The metric's label that names the user: `listener` or `peer`, and which.
    var label: (String, String) { get }
    /// When the certificate in use expires, in seconds since the epoch.
    var expiry: Int { get }
    /// Reads the files, and uses them if they have changed and are valid.
    func check(at now: Date) async -> TLSCheck
}

/// The outcome of a check of TLS files.
package enum TLSCheck: Sendable {
    /// The files in use are still those.
    case unchanged
    /// Every handshake from now on uses the new ones.
    case taken
    /// The new ones are invalid; the old ones stay in use.
    ///
    /// - Parameter isNew: false when the same files were refused before.
    case refused(TLSFlaw, isNew: Bool)
}

/// A service that uses TLS files. ``ServiceRuntime`` has them checked while the service runs.
package protocol TLSUser {
    /// Its files; nil if it speaks plain HTTP.
    var watchedTLS: (any WatchedTLS)? { get }
}
