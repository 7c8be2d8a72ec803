import Credentials
import DonationAPI
import DonationFormat
import HTTPContract
import HTTPTypes
import Running
import Serving

/// `POST /version/v1/{otp,els}` for the servers of surveys and logs: uses a password up, once.
struct RedeemPassword: Sendable {
    let purpose: Purpose
    let hashes: DonationHashes
    let passwords: PasswordStore
    let clock: WallClock

    func handle(_ request: RedemptionRequest, from caller: Caller) async throws -> RedemptionAnswer {
        guard let password = OneTimePassword(request.otp) else { throw Problem.badRequest }
        let outcome = try await passwords.redeem(
            hashes.password(password, for: purpose), for: purpose,
            by: hashes.redemption(request.idempotencyKey ?? .fresh, of: password), at: clock.now)
        switch outcome {
        case .valid(let isStrong): return RedemptionAnswer(password.text, .valid, isStrong: isStrong)
        case .redeemed(let isStrong): return RedemptionAnswer(password.text, .redeemed, isStrong: isStrong)
        case .expired(let isStrong): return RedemptionAnswer(password.text, .expired, isStrong: isStrong)
        case .unknown: throw Problem(.notFound)
        }
    }
}
