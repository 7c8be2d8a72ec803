import Credentials
import FoundationEssentials
import HTTPContract
import Running
import Schema
import Serving
import VerificationAPI

/// `POST /version/v1/tan/teletan`: issues a teleTAN, which a health officer reads out on the telephone.
struct IssueTeleTAN: Sendable {
    let store: TeleTANStore
    let hashes: TeleTANHashes
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
        let inserted = try await store.insert(
            hashes.digest(of: code), kind: request.kind, at: now,
            expires: now.addingTimeInterval(request.kind.lifetime),
            by: hashes.digest(of: officer, hour: now.hourNumber), limits)
        guard inserted else { throw Problem.tooManyRequests }
        return TeleTANResponse(code)
    }
}

/// How many teleTANs may be issued. They stop a person with a stolen officer's token, and the operator sees 429s.
struct TeleTANLimits: Sendable {
    /// The limit for all officers together, in any 60 minutes.
    let perHour: Int
    /// The limit for one officer, in one hour of the clock.
    let perOfficer: Int
}

extension TeleTANKind {
    /// How long a teleTAN is valid, in seconds: an hour, or two days for an event.
    var lifetime: TimeInterval {
        switch self {
        case .test: 3600
        case .event: 2 * 86_400
        }
    }
}
