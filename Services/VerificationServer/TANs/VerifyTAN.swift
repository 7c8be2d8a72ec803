import Credentials
import HTTPContract
import HTTPTypes
import Running
import Serving
import VerificationAPI

/// `POST /version/v1/tan/verify`: verifies and redeems a TAN in one step, as
/// <https://github.com/corona-warn-app/cwa-verification-server> does, for submission services without reservations.
///
/// It combines a reservation under a separate tag with its confirmation, so a TAN can't be redeemed in both ways.
struct VerifyTAN: Sendable {
    let store: TANStore
    let tans: IssuedTANs
    let clock: WallClock

    func handle(_ request: TANVerification, from caller: Caller) async throws -> VerifiedTAN {
        let now = clock.now
        guard let claims = tans.claims(of: request.tan, at: now), claims.isValid(at: now),
            try await store.redeem(TANUse(digest: tans.use(of: claims), tag: tans.tag(of: request)), at: now)
        else { throw Problem(.notFound) }
        return VerifiedTAN(kind: claims.kind)
    }
}
