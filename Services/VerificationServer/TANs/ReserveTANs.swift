import Credentials
import FoundationEssentials
import HTTPContract
import Running
import Serving
import VerificationAPI

/// `POST /version/v1/tan/reservations`: reserves TANs for uploads that are about to be stored.
///
/// The first tag wins an upload's TAN, also each time it asks again; no other tag does. A TAN of the wrong kind reserves
/// nothing. The answer says which uploads were confirmed before, so that a repeat isn't stored a second time.
///
/// A self-report's password is redeemed first, and then recorded like a TAN.
struct ReserveTANs: Sendable {
    let store: TANStore
    let tans: IssuedTANs
    let passwords: ReportPasswords
    let clock: WallClock

    func handle(_ request: TANReservations, from caller: Caller) async throws -> TANOutcomes {
        guard (1...VerificationAPI.maximumEntries).contains(request.reservations.count) else {
            throw Problem.badRequest
        }
        let now = clock.now
        var uses = request.reservations.map { entry in
            tans.claims(of: entry.tan, at: now).flatMap { claims in
                claims.isValid(at: now) && claims.allows(entry.purpose)
                    ? TANUse(digest: tans.use(of: claims), tag: entry.tag) : nil
            }
        }
        let reports = request.reservations.indices.filter { request.reservations[$0].purpose == .selfReport }
        for (position, isRedeemed) in zip(reports, try await passwords.redeem(reports.map { request.reservations[$0] }))
        where isRedeemed {
            let entry = request.reservations[position]
            uses[position] = TANUse(digest: tans.use(ofPassword: entry.tan), tag: entry.tag)
        }
        return try await store.reserve(uses, at: now)
    }
}

extension TANClaims {
    /// Whether the TAN is of the kind that an upload needs.
    fileprivate func allows(_ purpose: UploadPurpose) -> Bool {
        switch purpose {
        case .diagnosisKeys: kind != .event
        case .onBehalf: kind == .event
        case .selfReport: false
        }
    }
}
