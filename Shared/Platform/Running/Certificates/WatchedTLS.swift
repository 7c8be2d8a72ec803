package import FoundationEssentials

/// TLS files in use by one listener or one client.
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
    /// The files haven't changed.
    case unchanged
    /// Every handshake from now on uses the new files.
    case taken
    /// The new files are invalid; the old ones stay in use.
    ///
    /// - Parameter isNew: false if the same files were refused before.
    case refused(TLSFlaw, isNew: Bool)
}

/// A service that uses TLS files. ``ServiceRuntime`` checks them while the service runs.
package protocol TLSUser {
    /// The service's TLS files; nil for plain HTTP.
    var watchedTLS: (any WatchedTLS)? { get }
}
