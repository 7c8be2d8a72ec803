import FoundationEssentials
import Logging
package import Metrics
package import Running

/// The newest key set that was read from the identity provider.
///
/// Besides the regular reads it is read when a token names a key that isn't in it, ten times a minute at most however many such
/// tokens arrive, and every five seconds while there is none at all. So a key may be replaced at any moment, also right after a read.
package struct ProviderKeys: Sendable {
    private let sets: Refreshed<ProviderKeySet>

    private static let firstDistance: TimeInterval = 5

    /// Creates an empty key set.
    package init(_ source: ProviderKeySource, clock: WallClock, failures: Counter, log: IdentityLog) {
        sets = Refreshed(clock: clock, failures: failures) {
            do throws(ProviderKeyProblem) {
                return try await source.read()
            } catch {
                log.note(error.fault)
                throw error
            }
        }
    }

    /// Proves that a token is signed by a key of the provider.
    ///
    /// Check the token's claims first: only an otherwise valid token may cause the keys to be read again.
    ///
    /// - Throws: `.keyUnknown`, `.algorithm`, `.signature`; `.keysUnread` while no keys could be read.
    package func verify(_ token: SignedToken<some Decodable & Sendable>) async throws(IdentityFault) {
        // A failed read is counted and logged; the current set is used.
        if let set = await sets.current {
            let key = token.keyID
            if !set.has(key) { try? await sets.refresh { $0.has(key) } }
        } else {
            try? await sets.refresh(unlessWithin: Self.firstDistance)
        }
        guard let set = await sets.current else { throw .keysUnread }
        if let fault = set.fault(of: token) { throw fault }
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
