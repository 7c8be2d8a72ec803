import FoundationEssentials
import HTTPContract
import Metrics
import OfficerIdentity
import OutsideCalls
import Pages
import Running
import StrictJSON

/// What the identity provider says about itself (OpenID Connect Discovery 1.0, section 3).
struct ProviderDocument: Sendable {
    let authorization: String
    let token: String
    let keys: String
    /// Where the portal hands authorization requests over (RFC 9126); nil if the provider takes them from browsers alone.
    let pushedAuthorization: String?
    /// Where officers log out of the provider; nil if it offers that at no address of its own origin.
    let endSession: String?
    /// Whether every answer to an authorization request names its issuer (RFC 9207).
    let namesIssuer: Bool

    private struct Members: Decodable {
        let issuer: String
        let authorization: String
        let token: String
        let keys: String
        let pushedAuthorization: String?
        let endSession: String?
        let namesIssuer: Bool?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorization = "authorization_endpoint"
            case token = "token_endpoint"
            case keys = "jwks_uri"
            case pushedAuthorization = "pushed_authorization_request_endpoint"
            case endSession = "end_session_endpoint"
            case namesIssuer = "authorization_response_iss_parameter_supported"
        }
    }

    /// - Throws: `.documentForm` unless every endpoint is an https address; `.documentIssuer` unless it is our provider's.
    init(json: Data, of provider: Provider) throws(IdentityFault) {
        guard let members = try? StrictJSON.decode(Members.self, from: json) else { throw .documentForm }
        // Another issuer's endpoints would be given our officers' codes (RFC 8414, section 3.3).
        guard members.issuer == provider.issuer else { throw .documentIssuer }
        for endpoint in [members.authorization, members.token, members.keys, members.pushedAuthorization] {
            if let endpoint, (try? Location(https: endpoint)) == nil { throw .documentForm }
        }
        authorization = members.authorization
        token = members.token
        keys = members.keys
        pushedAuthorization = members.pushedAuthorization
        endSession = members.endSession.flatMap { endpoint in
            (try? Location(https: endpoint)) != nil && endpoint.hasPrefix(provider.origin.text + "/") ? endpoint : nil
        }
        namesIssuer = members.namesIssuer ?? false
    }
}

/// The newest discovery document. The provider may be down at start; everything that works without it works.
struct Discovery: Sendable {
    let provider: Provider
    private let document: Refreshed<ProviderDocument>
    private let log: IdentityLog

    /// Seconds between two reads while there is no document, however many officers try to sign in.
    private static let pause: TimeInterval = 5

    /// - Throws: if the file of authorities holds none.
    init(
        _ provider: Provider, clock: WallClock, failures: Counter, log: IdentityLog
    ) throws(ConfigurationProblem) {
        self.provider = provider
        self.log = log
        let source = try OutsideDocument(
            url: (provider.issuer.last == "/" ? String(provider.issuer.dropLast()) : provider.issuer)
                + "/.well-known/openid-configuration",
            authorities: provider.authorities, limit: Provider.answerLimit)
        document = Refreshed(clock: clock, failures: failures) {
            let fault: IdentityFault
            do {
                return try ProviderDocument(json: await source.read(), of: provider)
            } catch let problem as DocumentProblem {
                fault = IdentityFault(problem)
            } catch let problem as IdentityFault {
                fault = problem
            }
            log.note(fault)
            throw DiscoveryProblem(fault: fault)
        }
    }

    /// The newest document.
    ///
    /// - Throws: ``Refusal/providerAway`` while none could be read.
    func newest() async throws(Refusal) -> ProviderDocument {
        if let known = await document.current { return known }
        try? await document.refresh(unlessWithin: Self.pause)
        guard let known = await document.current else { throw .providerAway }
        return known
    }

    /// Whether the provider answered when it was last asked, at most half a minute ago.
    var isReachable: Bool {
        get async { (try? await document.refresh(unlessWithin: 30)) != nil }
    }

    /// The provider's keys, at the address that the newest document names.
    func keys(clock: WallClock, failures: Counter) -> ProviderKeys {
        let source = ProviderKeySource(discoveredBy: "provider.issuer") {
            try OutsideDocument(
                url: await newest().keys, authorities: provider.authorities, limit: Provider.answerLimit)
        }
        return ProviderKeys(source, clock: clock, failures: failures, log: log)
    }

    /// The service that keeps the document fresh.
    func refreshing(in runtime: ServiceRuntime) -> RecurringJob {
        document.refreshing("officer-discovery", in: runtime)
    }
}

/// Why there is no newer discovery document.
struct DiscoveryProblem: OperatorProblem {
    let fault: IdentityFault

    var description: String {
        switch fault {
        case .documentIssuer:
            "The discovery document's issuer isn't provider.issuer; compare both, also the slash at the end."
        case .documentForm:
            "The discovery document below provider.issuer lacks a member, or has an address that isn't https."
        default: "The discovery document below provider.issuer can't be read (\(fault.rawValue))."
        }
    }
}
