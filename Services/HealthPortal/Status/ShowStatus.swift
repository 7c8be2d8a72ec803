import Calling
import HTTPContract
import Hummingbird
import OfficerIdentity
import Pages
import VerificationAPI

/// `GET /status`, for operators of the authority: whether the services answer that codes depend on. It counts nobody.
struct ShowStatus: Sendable {
    let sessions: Sessions
    let verification: ServiceClient
    let discovery: Discovery
    let pages: PageAnswers

    func handle(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try await sessions.open(request)
        guard session.officer.roles.contains(.operations) else { return pages.refusal(.noRole, to: request, session) }
        async let codes = codes
        async let provider = discovery.isReachable
        let states = [
            ServiceState(service: .codes, state: await codes),
            ServiceState(service: .signIn, state: await provider ? .ready : .away),
        ]
        return pages.page(pages.frame(request, session).statusPage(states))
    }

    private var codes: ServiceState.State {
        get async {
            do {
                return try await verification.call(VerificationAPI.teleTANState, NoContent()).areAccepted
                    ? .ready : .closed
            } catch {
                return .away
            }
        }
    }
}

/// One thing that codes depend on.
struct ServiceState: Sendable {
    enum Service: Sendable {
        /// The verification server, which makes codes.
        case codes
        /// The identity provider.
        case signIn
    }

    enum State: Sendable {
        case ready
        /// Phones can't register with codes in this hour, because too many wrong ones were tried.
        case closed
        case away
    }

    let service: Service
    let state: State
}
