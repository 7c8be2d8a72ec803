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

    /// TANs per registration: 1 as deployed in the field, or 2, so that the keys of the day of the first upload can
    /// follow.
    let maximumCount: Int16
    private static let lifetime: TimeInterval = 14 * 86_400

    func handle(_ request: RegisteredTestRequest, from caller: Caller) async throws -> TANResponse {
        let token = request.registrationToken
        let session = try await lookUp.session(of: token)
        if request.isFake {
            try await lookUp.ask()
            var randomness = SystemRandomNumberGenerator()
            return TANResponse(TAN(RandomIdentifier(using: &randomness)))
        }
        guard let session, try await isPositive(session),
            let tan = try await store.issueTAN(
                for: token, maximum: maximumCount, at: clock.now, lifetime: Self.lifetime, derive: keys.tan)
        else { throw Problem.badRequest }
        return TANResponse(tan)
    }

    /// Two ids that contradict each other are no positive test.
    private func isPositive(_ session: VerificationSession) async throws -> Bool {
        do {
            return try await lookUp.result(of: session).testResult.isPositive
        } catch let problem as Problem where problem == .forbidden {
            return false
        }
    }
}
