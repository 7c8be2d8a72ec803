import Calling
import HTTPContract
import ServiceLifecycle
import VerificationAPI

/// Asks the verification server for TANs: the questions of many uploads together.
struct UploadTANs: Service {
    private let reservations: Batcher<TANReservation, TANOutcomes.Outcome>
    private let confirmations: Batcher<TANConfirmation, TANOutcomes.Outcome>

    /// Nothing beside the proxy's deadline, and it halves the work for an upload where many come.
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

    /// Says that an upload is stored.
    func confirm(_ confirmation: TANConfirmation) async throws {
        _ = try await confirmations.answer(to: confirmation)
    }
}
