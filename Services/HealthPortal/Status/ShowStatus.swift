import Calling
import HTTPContract
import OfficerIdentity
import Pages
import Serving
import VerificationAPI

/// `GET /status`, for operators of the authority: whether the services answer that codes depend on. It counts nobody.
struct ShowStatus: Sendable {
    let verification: ServiceClient
    let discovery: Discovery
    let pages: PageAnswers

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
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

extension Set<OfficerRole> {
    /// Whether the officer may see the state of the services.
    var maySeeStatus: Bool { contains(.operations) }
}
