import FoundationEssentials
import HTTPContract
import HTTPTypes
import Pages
import Running
import Serving

/// `POST /par`: a client hands over its authorization request itself, and gets an address for the browser (RFC 9126).
extension IdentityProvider {
    /// Seconds for which the address is good, as at Keycloak.
    private static let pushedLifetime = 60
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    private struct Pushed: Encodable {
        let address: String
        let lifetime: Int

        enum CodingKeys: String, CodingKey {
            case address = "request_uri"
            case lifetime = "expires_in"
        }
    }

    private struct Refused: Encodable {
        let error: String
    }

    func pushAuthorization(_ request: Request) throws -> Response {
        let authorization = request.headers[.authorization]
        do {
            guard let form = try? request.form() else { throw TokenError.invalidRequest }
            let authentication = ClientAuthentication(registry: registry, state: state, now: clock.now)
            let client = try authentication.client(of: form, authorization: authorization)
            guard form["client_id"] == client.id, form["request_uri"] == nil else { throw TokenError.invalidRequest }
            let wanted = try AuthorizationRequest(form, registry: registry)
            let number = Base64URL.random()
            state.with { $0.pushed[number] = PushedRequest(request: wanted, issued: clock.now) }
            return try Self.json(
                Pushed(address: Self.prefix + number, lifetime: Self.pushedLifetime), status: .created)
        } catch let error as TokenError {
            return try error.response(usedBasic: authorization != nil)
        } catch AuthorizationRequest.Refusal.client(let error) {
            return try Self.json(Refused(error: error.error), status: .badRequest)
        } catch AuthorizationRequest.Refusal.page {
            return try Self.json(Refused(error: "invalid_request"), status: .badRequest)
        }
    }

    /// The request of a browser: what its client has pushed, once, or what the address says.
    func wanted(_ values: URLEncodedValues) throws(AuthorizationRequest.Refusal) -> AuthorizationRequest {
        guard let address = values["request_uri"], address.hasPrefix(Self.prefix) else {
            return try AuthorizationRequest(values, registry: registry)
        }
        let number = String(address.dropFirst(Self.prefix.count))
        let pushed = state.with { contents in
            defer { contents.pushed[number] = nil }
            return contents.pushed[number]
        }
        guard let pushed, pushed.request.client.id == values["client_id"],
            clock.now.timeIntervalSince(pushed.issued) <= Double(Self.pushedLifetime)
        else { throw .page }
        return pushed.request
    }
}
