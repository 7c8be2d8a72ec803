import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import VerificationAPI

/// `POST /version/v1/registrationToken`: a GUID or a teleTAN becomes a registration token, once.
///
/// An unknown, used or expired teleTAN and a GUID that somebody registered before are refused alike.
struct RegisterTest: Sendable {
    let store: VerificationStore
    let keys: VerificationKeys
    let clock: WallClock

    func handle(_ request: RegistrationTokenRequest, from caller: Caller) async throws -> RegistrationTokenResponse {
        var randomness = SystemRandomNumberGenerator()
        let token = RegistrationToken(RandomIdentifier(using: &randomness))
        if request.isFake { return RegistrationTokenResponse(token) }
        let opened =
            switch request.proof {
            case .guid(let guid):
                try await store.openSession(token.digest, for: guid, at: clock.now)
            case .teleTAN(let code):
                try await store.openSession(token.digest, redeeming: keys.digest(of: code), at: clock.now)
            }
        guard opened else { throw Problem.badRequest }
        return RegistrationTokenResponse(token)
    }
}
