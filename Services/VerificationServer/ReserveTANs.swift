import Credentials
import FoundationEssentials
import HTTPContract
import ServiceKit
import VerificationAPI

/// `POST /version/v1/tan/reservations`: TANs for uploads that are about to be stored.
///
/// The first tag wins a TAN and always wins it again; another tag never does. A TAN of the wrong kind reserves nothing.
struct ReserveTANs: Sendable {
    let store: VerificationStore
    let clock: WallClock

    func handle(_ request: TANReservations, from caller: Caller) async throws -> TANOutcomes {
        guard (1...VerificationAPI.maximumEntries).contains(request.reservations.count) else {
            throw Problem.badRequest
        }
        // Of several entries for one TAN in one call the first is asked for; the others are refused unless equal.
        let first = Dictionary(request.reservations.map { ($0.tan.digest, $0) }, uniquingKeysWith: { kept, _ in kept })
        let granted = try await store.reserve(Array(first.values), at: clock.now)
        return TANOutcomes(
            request.reservations.map { entry in
                let digest = entry.tan.digest
                return granted.contains(digest) && first[digest] == entry ? .granted : .refused
            })
    }
}
