import Credentials
import FoundationEssentials
import HTTPContract
import Running
import Serving
import VerificationAPI

/// `POST /version/v1/registrationToken`: a GUID or a teleTAN becomes a registration token, once.
///
/// An unknown, redeemed or expired teleTAN and a GUID that is already registered are refused alike. With an
/// `Idempotency-Key` the token follows from key and proof (``RegistrationTokens``): a repeat is recognised because its
/// token has a session already. Another phone with the same proof has another key, and so a token that opens nothing.
struct RegisterTest: Sendable {
    let registrations: Registrations
    let tokens: RegistrationTokens
    let teleTANs: TeleTANHashes
    let guesses: GuessLimit
    let clock: WallClock

    func handle(_ request: RegistrationTokenRequest, from caller: Caller) async throws
        -> RegistrationTokenResponse
    {
        let token = tokens.token(for: request)
        switch try await registrations.open(registration(of: request, token.digest)) {
        case .opened, .repeated: break
        case .refused: guard request.isFake else { throw Problem.badRequest }
        case .closed: throw Problem.unavailable
        }
        return RegistrationTokenResponse(token, isStrained: guesses.isStrained(at: clock.now))
    }

    private func registration(of request: RegistrationTokenRequest, _ token: Digest) -> Registration {
        if request.isFake { return .dummy }
        return switch request.proof {
        case .guid(let guid, let birthDate): .guid(guid, birthDate: birthDate, token: token)
        case .teleTAN(let code): .teleTAN(teleTANs.digest(of: code), token: token)
        }
    }
}
