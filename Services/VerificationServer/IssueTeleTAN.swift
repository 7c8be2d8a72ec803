import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import VerificationAPI

/// `POST /version/v1/tan/teletan`: a code that a health officer reads out to a patient on the telephone.
struct IssueTeleTAN: Sendable {
    let store: VerificationStore
    let keys: VerificationKeys
    let officers: OfficerAuthentication
    /// TeleTANs of any 60 minutes. Whoever has stolen an officer's token is stopped here, and the operator sees 429s.
    let hourlyLimit: Int
    let clock: WallClock

    func handle(_ request: TeleTANRequest, from caller: Caller) async throws -> TeleTANResponse {
        guard await officers.mayIssue(request.kind, token: request.officerToken) else { throw Problem.unauthorized }
        var randomness = SystemRandomNumberGenerator()
        let code = TeleTAN(using: &randomness)
        let now = clock.now
        let inserted = try await store.insertTeleTAN(
            keys.digest(of: code), kind: request.kind, at: now,
            expires: now.addingTimeInterval(request.kind.lifetime), hourlyLimit: hourlyLimit)
        guard inserted else { throw Problem.tooManyRequests }
        return TeleTANResponse(code)
    }
}

extension TeleTANKind {
    /// How long a phone may wait before it redeems the code, in seconds: an hour, or two days for an event.
    var lifetime: TimeInterval {
        switch self {
        case .test: 3600
        case .event: 2 * 86_400
        }
    }
}
