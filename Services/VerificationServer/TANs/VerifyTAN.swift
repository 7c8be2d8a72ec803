import Credentials
import HTTPContract
import HTTPTypes
import Running
import Serving
import VerificationAPI

/// `POST /version/v1/tan/verify`: a TAN is checked and used up in one step, for submission services of the field that
/// know neither reservation nor confirmation.
///
/// It is a reservation with a tag of its own and its confirmation at once, so a TAN goes to one of the two ways only.
struct VerifyTAN: Sendable {
    let store: TANStore
    let tans: IssuedTANs
    let keys: VerificationKeys
    let clock: WallClock

    func handle(_ request: TANVerification, from caller: Caller) async throws -> VerifiedTAN {
        let now = clock.now
        guard let claims = tans.claims(of: request.tan, at: now), claims.isValid(at: now),
            try await store.useUp(TANUse(digest: tans.use(of: claims), tag: keys.tag(of: request)), at: now)
        else { throw Problem(.notFound) }
        return VerifiedTAN(kind: claims.kind)
    }
}
