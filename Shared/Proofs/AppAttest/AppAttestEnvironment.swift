/// Which of Apple's two services attested a key. Keys of one mean nothing to the other.
package enum AppAttestEnvironment: String, Hashable, Sendable, CaseIterable {
    /// For apps of the App Store and of TestFlight.
    case production
    /// For apps that a developer installed, unless their entitlements say otherwise.
    case development

    private static let bytes = 16

    /// What the authenticator data has in the place of the authenticator's kind (`aaguid`), 16 bytes: Apple,
    /// "Validating apps that connect to your server".
    package var authenticatorID: [UInt8] {
        let name = self == .production ? "appattest" : "appattestdevelop"
        return Array(name.utf8) + [UInt8](repeating: 0, count: Self.bytes - name.utf8.count)
    }
}
