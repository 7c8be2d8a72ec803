import Calling
import Catalogue
import ExposureFormat
import HTTPTypes
import OutsideCalls
import Phone
import Running
import Vigil

/// A listener that callers outside the suite reach, as the smoke test addresses it.
struct Door: Sendable {
    /// Scheme, host and port.
    let url: String
    /// The option that names another address.
    let option: String
    /// Calls it as its callers do, to find out why it gave no answer.
    private let calls: OutsideCalls

    init(_ url: String, option: String, _ calls: OutsideCalls) {
        self.url = url
        self.option = option
        self.calls = calls
    }

    /// What went wrong with a call, and what to do.
    /// - Parameter service: the one behind the door that the call needs.
    func explain(_ error: any Error, of service: Catalogue.Service) async -> String {
        switch error {
        case CallError.refused(let status): "\(url) answered \(status.code). \(Self.lookAt(service))"
        case CallError.malformedAnswer: "\(url) gave an answer that isn't one of Vigil's. \(Self.lookAt(service))"
        case CallError.unavailable: await whySilent(service)
        case let problem as OutsideProblem: explain(problem)
        case let silence as Browser.Silence where silence.origin == url: explain(silence.problem)
        case let damage as ArchiveDamage:
            "What \(url) serves can't be used: \(damage) Apps are shipped with export-signing-public.pem: it must belong to the "
                + "key that distribution signs with."
        case let problem as any OperatorProblem: problem.description
        case let unmet as Unmet: "\(unmet.description). \(Self.lookAt(service))"
        default: "\(type(of: error)): \(error). \(Self.lookAt(service))"
        }
    }

    /// Why a call got no answer, or the answer that somebody else isn't there.
    private func whySilent(_ service: Catalogue.Service) async -> String {
        do {
            _ = try await calls.send(OutsideRequest("\(url)/"), within: .seconds(5), limit: 1 << 20)
            return "\(url) answers, but \(service.name) didn't. \(Self.lookAt(service))"
        } catch {
            return explain(error)
        }
    }

    private func explain(_ problem: OutsideProblem) -> String {
        switch problem {
        case .noConnection:
            "Nobody answers at \(url). See what runs (docker compose ps --all), or name the right address by \(option)."
        case .tls:
            "The certificate of \(url) isn't one of this name by callers/ca.pem or a public authority. Name the address that "
                + "callers type by \(option), or renew certificates: bash deploy/secrets.sh."
        case .malformed:
            "\(url) closed the connection without an answer. It does so if the caller's certificate is in files/denied, or has expired."
        case .timedOut: "\(url) didn't answer in time. See whether the machine or its firewall is busy: docker stats."
        default: "\(url) can't be called (\(problem))."
        }
    }

    private static func lookAt(_ service: Catalogue.Service) -> String {
        "Look at it: docker compose ps --all \(service.name), docker compose logs --tail 20 \(service.name)."
    }
}
