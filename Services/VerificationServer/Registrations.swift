import Calling
import Credentials
import FoundationEssentials
import Running
import ServiceLifecycle
import VerificationAPI

/// What one request for a registration token asks of the database.
enum Registration: Sendable {
    case guid(HashedGUID, birthDate: ResultID?, token: Digest)
    /// A teleTAN as its keyed hash.
    case teleTAN(Digest, token: Digest)
    /// Nothing. It waits for the same answers as the others.
    case dummy

    /// What nobody may have registered before.
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

/// What became of it.
enum RegistrationOutcome: Sendable {
    /// The token has a session now.
    case opened
    /// It had one before: the request is a repeat.
    case repeated
    case refused
    /// TeleTANs are closed for this hour.
    case closed
}

/// What became of several.
struct RegistrationBatch: Sendable {
    let outcomes: [RegistrationOutcome]
    /// TeleTANs among them that were refused.
    let refused: Int
    /// TeleTANs that were refused within the hour until now, these included.
    let refusals: Int
}

/// Opens sessions: those of many phones, real and fake, together.
struct Registrations: Service {
    private let batches: Batcher<Registration, RegistrationOutcome>

    init(store: VerificationStore, guesses: GuessLimit, clock: WallClock) {
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
