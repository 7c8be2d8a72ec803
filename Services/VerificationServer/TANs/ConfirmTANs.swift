import Credentials
import HTTPContract
import Running
import Serving
import VerificationAPI

/// `POST /version/v1/tan/confirmations`: the uploads are stored, so their TANs are redeemed.
///
/// A TAN that was reserved in time may be confirmed shortly after its expiry.
struct ConfirmTANs: Sendable {
    let store: TANStore
    let tans: IssuedTANs
    let clock: WallClock

    func handle(_ request: TANConfirmations, from caller: Caller) async throws -> TANOutcomes {
        guard (1...VerificationAPI.maximumEntries).contains(request.confirmations.count) else {
            throw Problem.badRequest
        }
        let now = clock.now
        let uses = request.confirmations.map { entry in
            // What isn't a TAN may be the password of a self-report. Nothing is stored about a password that isn't reserved.
            let digest = tans.claims(of: entry.tan, at: now).map(tans.use) ?? tans.use(ofPassword: entry.tan)
            return TANUse(digest: digest, tag: entry.tag)
        }
        return TANOutcomes(try await store.confirm(uses))
    }
}
