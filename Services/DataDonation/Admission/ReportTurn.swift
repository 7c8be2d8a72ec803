import OutsideCalls
import Postgres

/// Lets one self-report at a time, of all replicas, ask Apple for a device's bits and have it change them.
///
/// Apple has no operation that does both. Without turns, one device's requests under different keys and tokens would all find that it
/// hasn't reported yet.
struct ReportTurn: Sendable {
    private let database: PostgresClient
    /// One turn of this process: who waits for it holds no connection.
    private let slot = CallSlots(count: 1, waiting: 64)

    private static let lock = AdvisoryLock(
        acquire: "SELECT donation.take_report_turn()", release: "SELECT vigil.give_locks_back()")
    /// What two calls of Apple leave of the two seconds that the metadata proxy waits. The other replicas' turns are waited for as long.
    private static let patience: Duration = .milliseconds(400)

    init(_ database: PostgresClient) { self.database = database }

    /// - Throws: ``Refusal/unavailable`` or `PostgresError` if others have the turn for too long; what the work throws.
    func callAsFunction(_ work: @escaping @Sendable () async throws -> Void) async throws {
        do throws(OutsideProblem) { try await slot.take(within: Self.patience) } catch { throw Refusal.unavailable }
        defer { slot.giveBack() }
        try await database.exclusively(Self.lock) { _ in try await work() }
    }
}
