import Calling
import Credentials
import DonationAPI
import HTTPContract
import HTTPTypes
import VerificationAPI

/// The one-time passwords of self-reports: data-donation gave them to apps, and redeems each once.
///
/// A repeat of an upload is one call with the first (``IssuedTANs/redemption(of:)``). So a lost answer, or a crash between redemption
/// and reservation, costs nobody a password.
struct ReportPasswords: Sendable {
    /// Nil if there is none: then no password is good.
    let donation: ServiceClient?
    let tans: IssuedTANs

    /// Whether each password is redeemed for its upload, now or before. Unknown, expired and used ones aren't told apart.
    /// - Throws: ``CallError`` if data-donation can't be asked about one of them. The others are redeemed, and so will be again.
    func redeem(_ reservations: [TANReservation]) async throws -> [Bool] {
        guard let donation else { return reservations.map { _ in false } }
        // As many calls at a time as the client has connections.
        return try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for (position, reservation) in reservations.enumerated() {
                group.addTask { (position, try await isRedeemed(reservation, by: donation)) }
            }
            var redeemed = reservations.map { _ in false }
            for try await (position, outcome) in group { redeemed[position] = outcome }
            return redeemed
        }
    }

    private func isRedeemed(_ reservation: TANReservation, by donation: ServiceClient) async throws -> Bool {
        let call = IdempotencyKey(tans.redemption(of: reservation).hex)
        do {
            let request = RedemptionRequest(reservation.tan.text, idempotencyKey: call)
            return try await donation.call(DonationAPI.reportRedemption, request).state == .valid
        } catch CallError.refused(.notFound) {
            return false
        }
    }
}
