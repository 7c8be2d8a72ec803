import Credentials
import FoundationEssentials
import HTTPContract
import Running
import Serving
import VerificationAPI

/// `POST /version/v1/tan/teletan`: a code that a health officer reads out to a patient on the telephone.
struct IssueTeleTAN: Sendable {
    let store: VerificationStore
    let keys: VerificationKeys
    let officers: OfficerAuthentication
    let limits: TeleTANLimits
    let clock: WallClock

    func handle(_ request: TeleTANRequest, from caller: Caller) async throws -> TeleTANResponse {
        guard let officer = try await officers.officer(issuing: request.kind, token: request.officerToken) else {
            throw Problem.unauthorized
        }
        var randomness = SystemRandomNumberGenerator()
        let code = TeleTAN(using: &randomness)
        let now = clock.now
        let inserted = try await store.insertTeleTAN(
            keys.digest(of: code), kind: request.kind, at: now, expires: now.addingTimeInterval(request.kind.lifetime),
            by: keys.digest(of: officer, hour: now.hourNumber), limits)
        guard inserted else { throw Problem.tooManyRequests }
        return TeleTANResponse(code)
    }
}

/// How many teleTANs may be made. Whoever has stolen an officer's token is stopped here, and the operator sees 429s.
struct TeleTANLimits: Sendable {
    /// By all officers together, in any 60 minutes.
    let perHour: Int
    /// By one officer, in an hour of the clock.
    let perOfficer: Int
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
