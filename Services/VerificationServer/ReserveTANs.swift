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
        let granted = try await store.reserve(request.reservations, at: clock.now)
        return TANOutcomes(request.reservations.indices.map { granted.contains($0) ? .granted : .refused })
    }
}
