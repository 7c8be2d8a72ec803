import Calling
import HTTPContract
import ServiceLifecycle
import VerificationAPI

/// Reserves and confirms TANs, and passwords of self-reports, at the verification server; many uploads share one call.
struct UploadTANs: Service {
    /// What a TAN is to an upload.
    enum Reservation: Sendable {
        /// Another upload's, or none that is valid.
        case refused
        /// This upload's, which isn't known to be stored.
        case granted
        /// This upload's, which is stored: it was confirmed before.
        case confirmed
    }

    private let reservations: Batcher<TANReservation, Reservation>
    /// Those of self-reports, apart from others, which don't need data-donation.
    private let reports: Batcher<TANReservation, Reservation>
    private let confirmations: Batcher<TANConfirmation, TANOutcomes.Outcome>

    /// Much shorter than the proxy's deadline. It halves the work for each upload when many arrive.
    private static let pause = Duration.milliseconds(5)

    /// Each is a call of its own behind the verification server.
    private static let reportsPerCall = 32

    init(verification: ServiceClient) {
        let reserve: @Sendable ([TANReservation]) async throws -> [Reservation] = {
            let answer = try await verification.call(VerificationAPI.reservations, TANReservations($0))
            let confirmed = Set(answer.confirmed ?? [])
            return answer.outcomes.enumerated().map { position, outcome in
                switch outcome {
                case .refused: .refused
                case .granted: confirmed.contains(position) ? .confirmed : .granted
                }
            }
        }
        reservations = Batcher(maximum: VerificationAPI.maximumEntries, workers: 1, pause: Self.pause, reserve)
        reports = Batcher(maximum: Self.reportsPerCall, reserve)
        confirmations = Batcher(maximum: VerificationAPI.maximumEntries, workers: 1, pause: Self.pause) {
            try await verification.call(VerificationAPI.confirmations, TANConfirmations($0)).outcomes
        }
    }

    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await reservations.run() }
            group.addTask { try await reports.run() }
            group.addTask { try await confirmations.run() }
            try await group.waitForAll()
        }
    }

    /// Asks for a TAN or a password for an upload.
    func reserve(_ reservation: TANReservation) async throws -> Reservation {
        try await (reservation.purpose == .selfReport ? reports : reservations).answer(to: reservation)
    }

    /// Tells the verification server that an upload is stored.
    func confirm(_ confirmation: TANConfirmation) async throws {
        _ = try await confirmations.answer(to: confirmation)
    }
}
