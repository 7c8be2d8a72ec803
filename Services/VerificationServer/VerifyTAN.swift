import Credentials
import HTTPContract
import HTTPTypes
import ServiceKit
import VerificationAPI

/// `POST /version/v1/tan/verify`: a TAN is checked and used up in one step, for submission services of the field that
/// know neither reservation nor confirmation.
///
/// It is a reservation with a tag of its own and its confirmation at once, so a TAN goes to one of the two ways only.
struct VerifyTAN: Sendable {
    let store: VerificationStore
    let keys: VerificationKeys
    let clock: WallClock

    func handle(_ request: TANVerification, from caller: Caller) async throws -> VerifiedTAN {
        let tag = keys.tag(of: request)
        guard let kind = try await store.useUp(request.tan.digest, tag: tag, at: clock.now) else {
            throw Problem(.notFound)
        }
        return VerifiedTAN(kind: kind.value)
    }
}
