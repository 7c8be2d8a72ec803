import Calling
import HTTPContract
import ServiceLifecycle
import VerificationAPI

/// Reserves and confirms TANs at the verification server, those of many uploads in one call.
struct UploadTANs: Service {
    private let reservations: Batcher<TANReservation, TANOutcomes.Outcome>
    private let confirmations: Batcher<TANConfirmation, TANOutcomes.Outcome>

    /// Much less than the proxy's deadline; it halves the work per upload when many arrive.
    private static let pause = Duration.milliseconds(5)

    init(verification: ServiceClient) {
        reservations = Batcher(maximum: VerificationAPI.maximumEntries, workers: 1, pause: Self.pause) {
            try await verification.call(VerificationAPI.reservations, TANReservations($0)).outcomes
        }
        confirmations = Batcher(maximum: VerificationAPI.maximumEntries, workers: 1, pause: Self.pause) {
            try await verification.call(VerificationAPI.confirmations, TANConfirmations($0)).outcomes
        }
    }

    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await reservations.run() }
            group.addTask { try await confirmations.run() }
            try await group.waitForAll()
        }
    }

    /// - Returns: whether the TAN is this upload's, now or already.
    func reserve(_ reservation: TANReservation) async throws -> Bool {
        try await reservations.answer(to: reservation) == .granted
    }

    /// Tells the verification server that an upload is stored.
    func confirm(_ confirmation: TANConfirmation) async throws {
        _ = try await confirmations.answer(to: confirmation)
    }
}
