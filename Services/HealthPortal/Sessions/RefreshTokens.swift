import FoundationEssentials
import OfficerIdentity
import Running

/// Refreshes an officer's tokens shortly before they end, by one request at a time of each session, on whichever replica.
///
/// A provider may take a second use of a refresh token for a theft and end everything (RFC 9700, section 4.14.2). Therefore other
/// requests use the token that is still valid, or wait.
struct RefreshTokens: Sendable {
    let store: SessionStore
    let keys: SessionKeys
    let calls: ProviderCalls
    let rules: IDTokenRules
    let log: IdentityLog
    let clock: WallClock

    /// Seconds for which a request has the right to refresh, and after a failure, until the next attempt. The first are more than a
    /// call to the provider and two reads of its keys may take.
    private static let lease: TimeInterval = 20
    private static let pause: TimeInterval = 5
    /// How often a waiting request looks, and how many times.
    private static let interval: Duration = .milliseconds(50)
    private static let looks = 180

    /// The officer with tokens that are still valid; nil if the session has ended.
    ///
    /// - Throws: ``Refusal/providerAway`` if there are none.
    func current(_ officer: SignedInOfficer, of id: SessionID) async throws -> SignedInOfficer? {
        var officer = officer
        for _ in 0..<Self.looks {
            let now = clock.now
            guard officer.isDue(at: now) else { return officer }
            guard
                let claim = try await store.claimRefresh(id.digest, at: now, until: now.addingTimeInterval(Self.lease)),
                let stored = keys.open(claim.officer, as: SignedInOfficer.self, for: id.bytes, .officer)
            else { return nil }
            officer = stored
            // A task of its own, which doesn't end with the request: when an officer closes the page, or the request's time is over, the
            // provider has spent the refresh token all the same.
            if claim.isOurs { return try await Task { [officer] in try await refresh(officer, of: id) }.value }
            if !officer.isDue(at: now) || officer.canAct(at: now) { return officer }
            // The last attempt failed a moment ago.
            guard !claim.hasFailed else { throw calls.standing.refusal }
            try await Task.sleep(for: Self.interval)
        }
        throw Refusal.providerAway
    }

    private func refresh(_ officer: SignedInOfficer, of id: SessionID) async throws -> SignedInOfficer? {
        // Another request may have refreshed them just before this one's claim.
        guard officer.isDue(at: clock.now) else {
            try await store.endRefresh(id.digest, officer: nil)
            return officer
        }
        // Without a refresh token the session ends with the access token.
        guard let token = officer.refreshToken else {
            guard officer.canAct(at: clock.now) else {
                _ = try await store.delete(id.digest)
                return nil
            }
            try await store.endRefresh(id.digest, officer: nil)
            return officer
        }
        let issued: ProviderCalls.Tokens
        do {
            issued = try await calls.tokens(refreshing: token)
        } catch .invalidGrant {
            _ = try await store.delete(id.digest)
            return nil
        } catch {
            try await store.failRefresh(id.digest, until: clock.now.addingTimeInterval(Self.pause))
            guard officer.canAct(at: clock.now) else { throw error.refusal }
            return officer
        }
        let refreshed: SignedInOfficer
        do throws(IdentityFault) {
            refreshed = try await self.refreshed(officer, issued)
        } catch {
            // Tokens of somebody else, or already ended: nothing that this provider sends may be used.
            log.note(error)
            _ = try await store.delete(id.digest)
            return nil
        }
        // False after a log-out meanwhile.
        return try await store.endRefresh(id.digest, officer: keys.seal(refreshed, for: id.bytes, .officer))
            ? refreshed : nil
    }

    private func refreshed(
        _ officer: SignedInOfficer, _ issued: ProviderCalls.Tokens
    ) async throws(IdentityFault) -> SignedInOfficer {
        var claims: IDTokenClaims?
        if let idToken = issued.idToken { claims = try await rules.refreshed(idToken, at: clock.now) }
        let refreshed = try officer.refreshed(issued, claims, rules.provider.rolesClaim)
        guard refreshed.canAct(at: clock.now) else { throw .accessTokenEnded }
        return refreshed
    }
}
