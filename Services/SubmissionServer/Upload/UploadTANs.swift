import Calling
import HTTPContract
import ServiceLifecycle
import VerificationAPI

/// Reserves and confirms TANs, and passwords of self-reports, at the verification server; many uploads share one call.
struct UploadTANs: Sendable {
    /// What a TAN is to an upload.
    enum Reservation: Sendable {
        /// Another upload's, or none that is valid.
        case refused
        /// This upload's, which isn't known to be stored.
        case granted
        /// This upload's, which is stored: it was confirmed before.
        case confirmed
        /// A self-report's, of whose password nobody can be asked now.
        case unanswered
    }

    private let reservations: Batcher<TANReservation, Reservation>
    private let confirmations: Batcher<TANConfirmation, TANOutcomes.Outcome>

    /// Much shorter than the proxy's deadline. It halves the work for each upload when many arrive.
    private static let pause = Duration.milliseconds(5)

    init(verification: ServiceClient) {
        // Self-reports come with the others, so that a call doesn't show them.
        reservations = Batcher(maximum: VerificationAPI.maximumEntries, workers: 1, pause: Self.pause) {
            let answer = try await verification.call(VerificationAPI.reservations, TANReservations($0))
            let confirmed = Set(answer.confirmed ?? [])
            return answer.outcomes.enumerated().map { position, outcome in
                switch outcome {
                case .refused: .refused
                case .granted: confirmed.contains(position) ? .confirmed : .granted
                case .unanswered: .unanswered
                }
            }
        }
        confirmations = Batcher(maximum: VerificationAPI.maximumEntries, workers: 1, pause: Self.pause) {
            try await verification.call(VerificationAPI.confirmations, TANConfirmations($0)).outcomes
        }
    }

    /// What has to run for it.
    var services: [any Service] { [reservations, confirmations] }

    /// Asks for a TAN or a password for an upload.
    func reserve(_ reservation: TANReservation) async throws -> Reservation {
        try await reservations.answer(to: reservation)
    }

    /// Tells the verification server that an upload is stored.
    func confirm(_ confirmation: TANConfirmation) async throws {
        _ = try await confirmations.answer(to: confirmation)
    }
}
