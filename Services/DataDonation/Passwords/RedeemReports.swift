import Credentials
import DonationAPI
import DonationFormat
import HTTPContract
import Running
import Serving

/// `POST /version/v1/srs/redemptions` for the verification server: uses passwords of self-reports up, each once.
///
/// Most calls hold no password that anybody was given. They take the same statement, and wait for a commit like the others.
struct RedeemReports: Sendable {
    let hashes: DonationHashes
    let passwords: PasswordStore
    let clock: WallClock

    func handle(_ request: ReportRedemptions, from caller: Caller) async throws -> RedeemedReports {
        guard (1...DonationAPI.maximumEntries).contains(request.redemptions.count) else { throw Problem.badRequest }
        let entries = try request.redemptions.map { entry in
            guard let password = OneTimePassword(entry.otp) else { throw Problem.badRequest }
            return PasswordStore.Entry(
                password: hashes.password(password, for: .selfReport),
                call: hashes.redemption(entry.idempotencyKey, of: password))
        }
        return RedeemedReports(try await passwords.redeem(entries, for: .selfReport, at: clock.now))
    }
}
