import Credentials
import FoundationEssentials
import HTTPContract
import HTTPTypes
import OfficerIdentity
import OutsideCalls
import Running
import StrictJSON
import Synchronization

/// What the portal asks of the provider as its client: tokens (RFC 6749, sections 4.1.3 and 6), and where to send a browser
/// (RFC 9126).
struct ProviderCalls: Sendable {
    let discovery: Discovery
    let credential: ClientCredential
    let standing = Standing()
    let metrics: PortalMetrics
    let log: IdentityLog
    let clock: WallClock

    /// For everything of a call. A provider may have spent the refresh token although its answer comes too late, so it has long.
    static let deadline: Duration = .seconds(8)

    /// What the provider answers.
    struct Tokens: Decodable, CustomStringConvertible {
        let accessToken: String
        let refreshToken: String?
        let idToken: String?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case idToken = "id_token"
        }

        var description: String { "redacted" }
    }

    /// Why there is no answer.
    enum Problem: Error {
        /// The provider doesn't accept the code or the refresh token, or not any more (`invalid_grant`).
        case invalidGrant
        /// The provider doesn't accept the portal, or what it asks: somebody has to repair a setting.
        case refused
        /// The provider can't be reached, or answers something else.
        case away

        /// What an officer is told.
        var refusal: Refusal {
            switch self {
            case .invalidGrant: .signInFailed
            case .refused: .misconfigured
            case .away: .providerAway
            }
        }
    }

    /// Exchanges the code of a sign-in for tokens.
    func tokens(for code: String, verifier: String, redirect: String) async throws(Problem) -> Tokens {
        try await ask(
            .code, at: { $0.token },
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
                "redirect_uri": redirect,
            ])
    }

    /// Exchanges a refresh token for new tokens.
    func tokens(refreshing token: String) async throws(Problem) -> Tokens {
        try await ask(.refresh, at: { $0.token }, ["grant_type": "refresh_token", "refresh_token": token])
    }

    /// What a browser brings to the authorization endpoint: the request itself, or what it is known by at a provider that takes it
    /// beforehand.
    func query(for request: URLEncodedValues, at document: ProviderDocument) async throws(Problem) -> URLEncodedValues {
        guard document.pushedAuthorization != nil else { return request }
        let pushed: Pushed = try await ask(.push, at: { $0.pushedAuthorization }, request)
        return ["client_id": discovery.provider.client, "request_uri": pushed.address]
    }

    private struct Pushed: Decodable {
        let address: String

        enum CodingKeys: String, CodingKey {
            case address = "request_uri"
        }
    }

    private struct Refused: Decodable {
        let error: String
    }

    private func ask<Answer: Decodable>(
        _ call: PortalMetrics.ProviderCall, at endpoint: @Sendable (ProviderDocument) -> String?,
        _ form: URLEncodedValues
    ) async throws(Problem) -> Answer {
        var form = form
        do {
            guard let url = endpoint(try await discovery.newest()) else { throw Problem.away }
            let server = try OutsideDocument(
                url: url, authorities: discovery.provider.authorities, limit: Provider.answerLimit,
                deadline: Self.deadline)
            let authorization = try credential.prove(discovery.provider, at: clock.now, in: &form)
            // A pushed request names its client, whatever proves it (RFC 9126, section 2.1).
            if call == .push { form["client_id"] = discovery.provider.client }
            let answer = try await server.post(form, authorization: authorization)
            switch answer.status.kind {
            case .successful:
                let value = try StrictJSON.decode(Answer.self, from: answer.body)
                metrics.count(call, .answered)
                standing.note(nil)
                return value
            case .clientError where answer.status != .tooManyRequests: throw refusal(of: answer.body, call)
            default: throw DocumentProblem.status(answer.status)
            }
        } catch let problem as Problem {
            standing.note(problem)
            throw problem
        } catch {
            note(error, call)
            standing.note(.away)
            throw .away
        }
    }

    /// Notes why the provider refuses, and what that means for the officer.
    private func refusal(of body: Data, _ call: PortalMetrics.ProviderCall) -> Problem {
        let error = try? StrictJSON.decode(Refused.self, from: body).error
        let fault = error.map { IdentityFault(error: $0) } ?? .status
        log.note(fault)
        guard fault == .invalidGrant, call != .push else {
            metrics.count(call, .clientRefused)
            return .refused
        }
        metrics.count(call, .refused)
        return .invalidGrant
    }

    private func note(_ error: any Error, _ call: PortalMetrics.ProviderCall) {
        switch error {
        case let problem as DocumentProblem:
            log.note(IdentityFault(problem))
            metrics.count(call, problem == .call(.tooLarge) ? .malformed : .unavailable)
        case is DecodingError:
            log.note(.malformed)
            metrics.count(call, .malformed)
        default:
            // Without a discovery document, whose reader has noted why.
            metrics.count(call, .unavailable)
        }
    }
}

/// How the provider took this replica's last call, for requests of officers that don't make one.
final class Standing: Sendable {
    private let isRefused = Atomic(false)

    func note(_ problem: ProviderCalls.Problem?) {
        isRefused.store(problem == .refused, ordering: .relaxed)
    }

    /// What an officer is told whose tokens couldn't be refreshed a moment ago.
    var refusal: Refusal { isRefused.load(ordering: .relaxed) ? .misconfigured : .providerAway }
}
