import Credentials
import FoundationEssentials
import HTTPContract
import Running
import Schema
import Serving
import VerificationAPI

/// `POST /version/v1/tan/teletan`: issues a teleTAN, which a health officer reads out on the telephone.
///
/// A repeat with the same `Idempotency-Key` by the same officer gets the same teleTAN with the same end, until its row is deleted
/// a day after that. It spends nothing of the limits. Without a key every request gets another teleTAN.
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
        let code = hashes.code(for: request.idempotencyKey ?? .fresh, officer: officer, kind: request.kind)
        let now = clock.now
        let issued = try await store.issue(
            hashes.digest(of: code), kind: request.kind, at: now, expires: request.kind.end(from: now),
            by: hashes.digest(of: officer, hour: now.hourNumber), limits)
        guard let issued else { throw Problem.tooManyRequests }
        return TeleTANResponse(
            code, validUntil: Int64(issued.expires.timeIntervalSince1970),
            remaining: max(0, limits.perOfficer - issued.byOfficer))
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

    /// When a teleTAN ends that is issued now: at a whole second, which the officer can be told.
    func end(from now: Date) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 + lifetime).rounded(.up))
    }
}
