import Credentials
import HTTPContract
import ServiceKit
import VerificationAPI

/// `POST /version/v1/tan/confirmations`: the uploads are stored, the TANs are spent.
struct ConfirmTANs: Sendable {
    let store: VerificationStore
    let clock: WallClock

    func handle(_ request: TANConfirmations, from caller: Caller) async throws -> TANOutcomes {
        guard (1...VerificationAPI.maximumEntries).contains(request.confirmations.count) else {
            throw Problem.badRequest
        }
        let spent = try await store.confirm(request.confirmations, at: clock.now)
        return TANOutcomes(
            request.confirmations.map { entry in
                spent[entry.tan.digest] == entry.tag ? .granted : .refused
            })
    }
}
