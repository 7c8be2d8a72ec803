import Credentials
import HTTPContract
import Serving
import Synchronization
import TestSupport
import VerificationAPI

/// A verification server that knows the TANs it was told, and otherwise refuses as the real one does.
final class FakeVerificationServer: Sendable {
    struct State {
        /// Each TAN with the tag it is reserved for.
        var tans: [TAN: Digest?] = [:]
        /// What each is for: a TAN of a teleTAN for events, and a password of a self-report, are of no use for anything else.
        var purposes: [TAN: UploadPurpose] = [:]
        /// Whether the server that gave out passwords can be asked.
        var knowsPasswords = true
        var confirmed: Set<TAN> = []
        var calls = 0
        var isConfirming = true
    }

    let state = Mutex(State())

    /// A TAN, or a password, that authorises one upload.
    func issue(for purpose: UploadPurpose = .diagnosisKeys) throws -> TAN {
        let tan = try Samples.tan()
        state.withLock {
            $0.tans[tan] = .some(nil)
            $0.purposes[tan] = purpose
        }
        return tan
    }

    var calls: Int { state.withLock { $0.calls } }

    func tag(of tan: TAN) -> Digest? { state.withLock { $0.tans[tan] ?? nil } }

    func isConfirmed(_ tan: TAN) -> Bool { state.withLock { $0.confirmed.contains(tan) } }

    /// Listens for as long as the body takes.
    func run<Result: Sendable>(
        port: Int, certificates: TestCertificates, _ body: () async throws -> Result
    ) async throws -> Result {
        let listener = Listener(
            name: "internal", host: "127.0.0.1", port: port,
            security: .mutualTLS(try certificates.files(role: .verificationServer))
        ) { routes in
            routes.on(VerificationAPI.reservations) { request, _ in self.reserve(request) }
            routes.on(VerificationAPI.confirmations) { request, _ in try self.confirm(request) }
        }
        return try await withService(listeners: [listener]) { _ in try await body() }
    }

    private func reserve(_ request: TANReservations) -> TANOutcomes {
        state.withLock { state in
            state.calls += 1
            let outcomes = request.reservations.map { wanted -> TANOutcomes.Outcome in
                if !state.knowsPasswords, wanted.purpose == .selfReport { return .unanswered }
                guard wanted.purpose == state.purposes[wanted.tan], let tag = state.tans[wanted.tan] else {
                    return .refused
                }
                if tag == nil { state.tans[wanted.tan] = wanted.tag }
                return tag == nil || tag == wanted.tag ? .granted : .refused
            }
            let confirmed = outcomes.indices.filter { position in
                outcomes[position] == .granted && state.confirmed.contains(request.reservations[position].tan)
            }
            return TANOutcomes(outcomes, confirmed: Array(confirmed))
        }
    }

    private func confirm(_ request: TANConfirmations) throws -> TANOutcomes {
        try state.withLock { state in
            state.calls += 1
            guard state.isConfirming else { throw Problem.unavailable }
            return TANOutcomes(
                request.confirmations.map { spent in
                    guard let tag = state.tans[spent.tan], tag == spent.tag else { return .refused }
                    state.confirmed.insert(spent.tan)
                    return .granted
                })
        }
    }
}
