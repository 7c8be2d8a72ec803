import HTTPContract
import PushAPI
import PushFormat
import Running
import Serving

/// `POST /v3/register` and `POST /v1/register`: a phone registers for pushes, or deregisters.
///
/// Both are idempotent, and answered alike whatever was stored before. Deregistering leaves nothing behind. Each request
/// waits for a commit, even if it changes nothing.
struct RegisterForPush: Sendable {
    let store: RegistrationStore
    let vault: TokenVault
    let clock: WallClock

    func handle(_ request: PushRegistrationRequest, from caller: Caller) async throws -> NoContent {
        guard let registration = try? PushRegistration(decoding: request.payload),
            let wish = PushWish(registration)
        else {
            try await store.changeNothing()
            throw Problem.badRequest
        }
        let instance = vault.hash(instance: wish.instance)
        if let device = wish.device {
            let hash = vault.hash(token: device.token)
            try await store.register(
                RegistrationRow(
                    instance: instance, token: hash, sealed: try vault.seal(device.token, hash: hash),
                    kind: device.kind, hour: RegistrationHour(containing: clock.now)))
        } else {
            try await store.remove(instance)
        }
        return NoContent()
    }
}
