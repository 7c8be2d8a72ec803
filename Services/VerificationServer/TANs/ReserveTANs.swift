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
/// A self-report's password is redeemed first, and then recorded like a TAN. Each batch asks data-donation about passwords, whether it has
/// any (``ReportPasswords``); if there is no answer in time, TANs are reserved as usual.
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
        let redeemed = await passwords.redeem(request.reservations)
        let uses = request.reservations.enumerated().map { position, entry -> TANUse? in
            if entry.purpose == .selfReport {
                return redeemed?[position] == true
                    ? TANUse(digest: tans.use(ofPassword: entry.tan), tag: entry.tag) : nil
            }
            guard let claims = tans.claims(of: entry.tan, at: now), claims.isValid(at: now),
                claims.allows(entry.purpose)
            else { return nil }
            return TANUse(digest: tans.use(of: claims), tag: entry.tag)
        }
        let answer = try await store.reserve(uses, at: now)
        guard redeemed == nil else { return answer }
        let outcomes = zip(request.reservations, answer.outcomes).map { $0.purpose == .selfReport ? .unanswered : $1 }
        return TANOutcomes(outcomes, confirmed: answer.confirmed)
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
