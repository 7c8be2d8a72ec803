import Calling
import Credentials
import DonationAPI
import HTTPContract
import VerificationAPI

/// The one-time passwords of self-reports: data-donation gave them to apps, and redeems each once.
///
/// It is asked once for each batch of uploads, with as many entries, whatever they are: neither its metrics nor this server's show when
/// somebody reports oneself.
///
/// A repeat of an upload is one call with the first (``IssuedTANs/redemption(of:)``). So a lost answer, or a crash between redemption
/// and reservation, costs nobody a password.
struct ReportPasswords: Sendable {
    /// Nil if there is none: then no password is good.
    let donation: ServiceClient?
    let tans: IssuedTANs

    /// Whether each reservation is a self-report whose password is redeemed for its upload, now or before. Unknown, expired and used
    /// ones aren't told apart.
    /// - Returns: nil if data-donation can't be asked. Passwords may be redeemed nevertheless, and will be again.
    func redeem(_ reservations: [TANReservation]) async -> [Bool]? {
        guard let donation else { return reservations.map { _ in false } }
        let entries = reservations.map { reservation in
            reservation.purpose == .selfReport
                ? ReportRedemption(
                    reservation.tan.text, idempotencyKey: IdempotencyKey(tans.redemption(of: reservation)))
                : .unlikely()
        }
        guard
            let redeemed = try? await donation.call(DonationAPI.reportRedemptions, ReportRedemptions(entries)).redeemed,
            redeemed.count == entries.count
        else { return nil }
        return zip(reservations, redeemed).map { $0.purpose == .selfReport && $1 }
    }
}

extension ReportRedemption {
    /// Stands for an upload with a TAN, of which data-donation learns nothing. Its parts have the lengths of a self-report's.
    fileprivate static func unlikely() -> Self {
        var randomness = SystemRandomNumberGenerator()
        let key = Digest(sha256: IdempotencyKey(using: &randomness).text.utf8)
        return Self(RandomIdentifier(using: &randomness).text, idempotencyKey: IdempotencyKey(key))
    }
}
