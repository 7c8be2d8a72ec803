import Credentials
import DonationAPI
import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TLS

/// A data-donation as a real server: its own certificate, the operation and role of its contract, passwords in memory.
final class FakePasswords: Sendable {
    private struct State {
        /// Each password with the call that redeemed it.
        var given: [String: IdempotencyKey?] = [:]
        var expired: Set<String> = []
        var calls: [ReportRedemptions] = []
        /// How many of the next calls are carried out, but not answered.
        var lost = 0
        var failure: Problem?
        /// Whether it leaves out the last entry's value.
        var isShort = false
    }

    private let state = Mutex(State())

    /// All calls so far, in their order.
    var calls: [ReportRedemptions] { state.withLock { $0.calls } }

    /// A new password.
    func give() -> TAN {
        var randomness = SystemRandomNumberGenerator()
        let password = TAN(RandomIdentifier(using: &randomness))
        state.withLock { $0.given[password.text] = .some(nil) }
        return password
    }

    /// Ends a password.
    func expire(_ password: TAN) { state.withLock { _ = $0.expired.insert(password.text) } }

    /// The call that redeemed a password.
    func redemption(of password: TAN) -> IdempotencyKey? { state.withLock { $0.given[password.text] ?? nil } }

    /// Has answers to the next calls get lost.
    func loseAnswers(_ number: Int) { state.withLock { $0.lost = number } }

    /// Has it leave out the last entry's value.
    func answerShortly(_ isShort: Bool) { state.withLock { $0.isShort = isShort } }

    /// Makes it answer everything with a problem; nil ends that.
    func fail(with problem: Problem?) { state.withLock { $0.failure = problem } }

    func listener(_ tls: TLSFiles) -> Listener {
        Listener(name: "redemption", host: "127.0.0.1", port: 0, security: .mutualTLS(tls)) { routes in
            routes.on(DonationAPI.reportRedemptions) { request, _ in try self.redeem(request) }
        }
    }

    private func redeem(_ request: ReportRedemptions) throws -> RedeemedReports {
        try state.withLock { state in
            state.calls.append(request)
            if let failure = state.failure { throw failure }
            let redeemed = request.redemptions.map { entry in
                guard let redemption = state.given[entry.otp] else { return false }
                if let redemption { return redemption == entry.idempotencyKey }
                if state.expired.contains(entry.otp) { return false }
                state.given[entry.otp] = entry.idempotencyKey
                return true
            }
            if state.lost > 0 {
                state.lost -= 1
                throw Problem.unavailable
            }
            return RedeemedReports(state.isShort ? redeemed.dropLast() : redeemed)
        }
    }
}
