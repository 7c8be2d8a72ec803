import Credentials
import FoundationEssentials
import HTTPContract
import Running
import Serving
import TestResultAPI
import VerificationAPI

/// `POST /version/v1/tan`: issues the TAN of a positive test, which authorises one upload.
///
/// Nothing is written. The TAN follows from the registration token, so a repeated request returns a TAN for the same upload
/// until that is confirmed: within the hour the same TAN, later one with a later expiry. Then comes the next upload's, up to
/// `tan.perRegistration`.
struct IssueTAN: Sendable {
    let lookUp: ResultLookUp
    let tans: IssuedTANs
    let clock: WallClock

    func handle(_ request: RegisteredTestRequest, from caller: Caller) async throws -> TANResponse {
        let token = request.registrationToken
        let session = try await lookUp.session(of: token, isFake: request.isFake)
        // A dummy request waits for as many replies as a granted one.
        let isPositive = try await lookUp.isPositive(request.isFake ? nil : session)
        let uploads = tans.uploads(of: token)
        let confirmed = try await lookUp.confirmed(uploads.map(\.use))
        if request.isFake {
            var randomness = SystemRandomNumberGenerator()
            return TANResponse(TAN(RandomIdentifier(using: &randomness)))
        }
        guard let session, isPositive, let next = zip(uploads, confirmed).first(where: { !$0.1 })?.0 else {
            throw Problem.badRequest
        }
        return TANResponse(tans.tan(for: next, of: session, at: clock.now))
    }
}
