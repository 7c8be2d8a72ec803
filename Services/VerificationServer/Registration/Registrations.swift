import Calling
import Credentials
import FoundationEssentials
import Running
import ServiceLifecycle
import VerificationAPI

/// One request for a registration token, as the database sees it.
enum Registration: Sendable {
    case guid(HashedGUID, birthDate: ResultID?, token: Digest)
    /// A teleTAN as its keyed hash.
    case teleTAN(Digest, token: Digest)
    /// A dummy request: it registers nothing, and waits for the same answers as the others.
    case dummy

    /// The ids that must not be registered yet.
    var claims: [[UInt8]] {
        switch self {
        case .guid(let guid, let birthDate, _): [guid.digest, birthDate?.digest].compactMap { $0?.bytes }
        case .teleTAN, .dummy: []
        }
    }

    var teleTAN: Digest? {
        if case .teleTAN(let code, _) = self { code } else { nil }
    }

    var token: Digest? {
        switch self {
        case .guid(_, _, let token), .teleTAN(_, let token): token
        case .dummy: nil
        }
    }
}

/// The outcome of one registration.
enum RegistrationOutcome: Sendable {
    /// The token has a new session.
    case opened
    /// The token had a session already: the request is a repeat.
    case repeated
    case refused
    /// No teleTAN is accepted in this hour.
    case closed
}

/// The outcomes of a batch.
struct RegistrationBatch: Sendable {
    let outcomes: [RegistrationOutcome]
    /// The refused teleTANs of the batch.
    let refused: Int
    /// The refused teleTANs of the hour so far, including the batch's.
    let refusals: Int
}

/// Opens the sessions of many phones in one transaction, with dummy requests among them.
struct Registrations: Service {
    private let batches: Batcher<Registration, RegistrationOutcome>

    init(store: RegistrationStore, guesses: GuessLimit, clock: WallClock) {
        batches = Batcher(maximum: 64) { entries in
            let now = clock.now
            let batch = try await store.register(entries, at: now, limit: guesses.limit)
            guesses.note(batch, at: now)
            return batch.outcomes
        }
    }

    func run() async throws { try await batches.run() }

    func open(_ registration: Registration) async throws -> RegistrationOutcome {
        try await batches.answer(to: registration)
    }
}
