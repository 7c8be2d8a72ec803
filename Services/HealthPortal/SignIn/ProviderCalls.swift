import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import HTTPTypes
import OutsideCalls
import Running
import StrictJSON

/// The provider's token endpoint (RFC 6749, sections 4.1.3 and 6).
struct TokenEndpoint: Sendable {
    let discovery: Discovery
    let credential: ClientCredential
    let metrics: PortalMetrics
    let clock: WallClock

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

    /// Why there are no tokens.
    enum Problem: Error {
        /// The provider doesn't accept the code or the refresh token, or not any more (`invalid_grant`).
        case invalidGrant
        /// The provider can't be reached, answers something else, or doesn't accept us.
        case away
    }

    /// Exchanges the code of a sign-in for tokens.
    func tokens(for code: String, verifier: String, redirect: String) async throws(Problem) -> Tokens {
        try await ask(
            .code,
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
                "redirect_uri": redirect,
            ])
    }

    /// Exchanges a refresh token for new tokens.
    func tokens(refreshing token: String) async throws(Problem) -> Tokens {
        try await ask(.refresh, ["grant_type": "refresh_token", "refresh_token": token])
    }

    private func ask(_ call: PortalMetrics.ProviderCall, _ form: URLEncodedValues) async throws(Problem) -> Tokens {
        var form = form
        do {
            let endpoint = try OutsideDocument(
                url: try await discovery.newest().token, authorities: discovery.provider.authorities,
                limit: Provider.answerLimit)
            let authorization = try credential.prove(discovery.provider, at: clock.now, in: &form)
            let answer = try await endpoint.post(form, authorization: authorization)
            switch answer.status.kind {
            case .successful:
                let tokens = try StrictJSON.decode(Tokens.self, from: answer.body)
                metrics.count(call, .answered)
                return tokens
            case .clientError:
                metrics.count(call, .refused)
                let error = try? StrictJSON.decode(Refused.self, from: answer.body)
                if error?.error == "invalid_grant" { throw Problem.invalidGrant }
            case .serverError: metrics.count(call, .unavailable)
            case .redirection, .informational, .invalid: metrics.count(call, .malformed)
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as CallError {
            metrics.count(call, error == .malformedAnswer ? .malformed : .unavailable)
        } catch is DecodingError {
            metrics.count(call, .malformed)
        } catch {
            metrics.count(call, .unavailable)
        }
        throw .away
    }

    private struct Refused: Decodable {
        let error: String
    }
}
