import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import TestResultAPI
import VerificationAPI

/// `POST /version/v1/tan`: a positive test's TAN, which authorises one upload.
///
/// Whoever repeats the request, because the answer was lost, is given the same TAN until an upload was confirmed with
/// it.
struct IssueTAN: Sendable {
    let store: VerificationStore
    let lookUp: ResultLookUp
    let keys: VerificationKeys
    let clock: WallClock

    /// TANs per registration, as deployed in the field.
    private static let maximumCount: Int16 = 1
    private static let lifetime: TimeInterval = 14 * 86_400

    func handle(_ request: RegisteredTestRequest, from caller: Caller) async throws -> TANResponse {
        if request.isFake {
            var randomness = SystemRandomNumberGenerator()
            return TANResponse(TAN(RandomIdentifier(using: &randomness)))
        }
        let token = request.registrationToken
        guard let session = try await store.session(token.digest),
            try await lookUp.result(of: session).testResult.isPositive,
            let tan = try await store.issueTAN(
                for: token, maximum: Self.maximumCount, at: clock.now, lifetime: Self.lifetime, derive: keys.tan)
        else { throw Problem.badRequest }
        return TANResponse(tan)
    }
}
