import FoundationEssentials
import Logging
package import Metrics
package import Running

/// The newest key set that was read from the identity provider.
///
/// Besides the regular reads it is read when a token names a key that isn't in it, at most once a minute however many such tokens
/// arrive, and every five seconds while there is none at all.
package struct ProviderKeys: Sendable {
    private let sets: Refreshed<ProviderKeySet>

    private static let tokenDistance: TimeInterval = 60
    private static let firstDistance: TimeInterval = 5

    /// Creates an empty key set.
    package init(_ source: ProviderKeySource, clock: WallClock, failures: Counter) {
        sets = Refreshed(clock: clock, failures: failures) { try await source.read() }
    }

    /// Whether a token is signed by a key of the provider; nil while no keys could be read.
    ///
    /// Check the token's claims first: only an otherwise valid token may cause the keys to be read again.
    package func verify(_ token: SignedToken<some Decodable & Sendable>) async -> Bool? {
        let set = await sets.current
        if let set, set.has(token.keyID) { return set.verify(token) }
        do {
            try await sets.refresh(unlessWithin: set == nil ? Self.firstDistance : Self.tokenDistance)
        } catch {
            // It is counted, and the job logs it; the current set is used.
        }
        return await sets.current?.verify(token)
    }

    /// Reads the set now.
    ///
    /// - Throws: ``ProviderKeyProblem``.
    package func refresh() async throws {
        try await sets.refresh()
    }

    /// The service that keeps the keys fresh.
    package func refreshing(in runtime: ServiceRuntime) -> RecurringJob {
        sets.refreshing("officer-keys", in: runtime) { ["keys": "\($0.count)"] }
    }
}
